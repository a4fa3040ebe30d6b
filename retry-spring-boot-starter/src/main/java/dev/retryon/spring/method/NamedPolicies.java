/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.expression.RetryExpressions;
import dev.retryon.spring.settings.ConfiguredLayers;
import dev.retryon.spring.settings.EffectiveSettings;
import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.settings.RetryLayer;
import dev.retryon.spring.settings.SettingKey;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Policies for calls that are not those of a bean's method: the built-in defaults, {@code retryon.defaults} and a named policy,
 * merged as for methods.
 *
 * @since 0.1.0
 */
public final class NamedPolicies {

    private static final Method REQUEST = request();

    private final ConfiguredLayers configured;

    private final AnnotationReader reader;

    private final PolicyAssembler assembler;

    private final RetryFaults faults;

    /**
     * Creates the policies.
     *
     * @param configured what properties say
     * @param beanFactory where strategies are
     * @param engine runs the calls
     * @param faults takes what is wrong
     * @param budgets the retry budgets
     */
    public NamedPolicies(
            ConfiguredLayers configured,
            ConfigurableListableBeanFactory beanFactory,
            RetryEngine engine,
            RetryFaults faults,
            RetryBudgets budgets) {
        RetryExpressions expressions = new RetryExpressions(beanFactory);
        this.configured = configured;
        this.reader = new AnnotationReader(configured, expressions, faults);
        this.assembler = new PolicyAssembler(beanFactory, expressions, engine, budgets, configured.maxAttemptsLimit());
        this.faults = faults;
    }

    /**
     * Notes a fault if there is no policy of a name, whether or not anybody asks for it later.
     *
     * @param where who says the name, for messages
     * @param policy a policy under {@code retryon.policies}
     */
    public void check(String where, String policy) {
        reader.policy(where, policy);
    }

    /**
     * Makes a policy; what is wrong is noted, and left out of it.
     *
     * @param name what is called, for a budget of its own
     * @param where who asks, for messages
     * @param policy a policy under {@code retryon.policies}; {@code null} for the defaults alone
     * @return the policy
     */
    public RetryPolicy policy(String name, String where, @Nullable String policy) {
        EffectiveSettings settings = settings(where, policy);
        boolean fits = refuse(SettingKey.RECOVER, settings, "there is no bean whose method could recover");
        fits &= refuse(SettingKey.RETRY_IF, settings, "there is no returned value to look at");
        if (!fits) {
            return RetryPolicy.builder().build();
        }
        return assembler
                .assemble(
                        name,
                        Object.class,
                        REQUEST,
                        settings,
                        (place, problem) -> faults.add(place.startsWith("retryon.") ? place : where, problem))
                .build()
                .policy();
    }

    /**
     * The settings that a policy is made of.
     *
     * @param where who asks, for messages
     * @param policy a policy under {@code retryon.policies}; {@code null} for the defaults alone
     * @return the settings with their sources
     */
    public EffectiveSettings settings(String where, @Nullable String policy) {
        EffectiveSettings settings = EffectiveSettings.defaults().with(configured.defaults());
        RetryLayer named = policy == null ? null : reader.policy(where, policy);
        return named == null ? settings : settings.with(named);
    }

    private static Method request() {
        try {
            // In plain sight of the compiler of native images.
            return Requests.class.getDeclaredMethod("request");
        } catch (NoSuchMethodException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private boolean refuse(SettingKey key, EffectiveSettings settings, String reason) {
        if (settings.isSaid(key)) {
            faults.add(
                    settings.place(key),
                    "is '" + settings.get(key, String.class) + "', but " + reason
                            + " in HTTP requests; use a policy of their own, retryon.http.policy");
            return false;
        }
        return true;
    }

    /** Stands where a bean's method would: without parameters that a gate could name. */
    private interface Requests {

        @SuppressWarnings("UnusedMethod") // by reflection
        void request();
    }
}
