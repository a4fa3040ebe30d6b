/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.policy;

import dev.retryon.RetryEngine;
import dev.retryon.RetryListener;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.Place;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.internal.expression.RetryExpressions;
import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.RetryLayer;
import dev.retryon.spring.internal.settings.Setting;
import dev.retryon.spring.internal.settings.StoringMode;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Makes policies. Those for calls other than those of a bean's method are made of the built-in defaults,
 * {@code retryon.defaults} and a named policy, merged as for methods.
 */
public final class PolicyFactory {

    private static final Method REQUEST = request();

    private final ConfiguredLayers configured;

    private final RetryExpressions expressions;

    private final AnnotationReader reader;

    private final PolicyAssembler assembler;

    private final PolicyWarnings warnings;

    private final RetryFaults faults;

    public PolicyFactory(
            ConfiguredLayers configured,
            ConfigurableListableBeanFactory beanFactory,
            RetryEngine engine,
            RetryBudgets budgets,
            NamedListeners listeners,
            RetryFaults faults) {
        this.expressions = new RetryExpressions(beanFactory);
        this.configured = configured;
        this.reader = new AnnotationReader(configured, expressions, faults);
        this.assembler = new PolicyAssembler(
                beanFactory, expressions, engine, budgets, listeners, configured.maxAttemptsLimit());
        this.warnings = new PolicyWarnings(faults, configured.maxAttemptsLimit());
        this.faults = faults;
    }

    /**
     * The retries of the application's named policies and of policies that are built in code.
     *
     * @param now gives the properties that hold when a retry is asked for
     * @param known takes each retry
     * @return a registry
     */
    public RetryRegistry registry(Supplier<ConfiguredLayers> now, StandaloneRetries known) {
        return new ConfiguredRetryRegistry(now, assembler, warnings, known);
    }

    /** Reads gates and placeholders. */
    RetryExpressions expressions() {
        return expressions;
    }

    /** Warns of settings that are allowed but probably wrong. */
    PolicyWarnings warnings() {
        return warnings;
    }

    /** Builds the policies of methods. */
    PolicyAssembler assembler() {
        return assembler;
    }

    /**
     * Builds a policy. Wrong settings are recorded as faults and ignored.
     *
     * @param name what is called; a budget of its own is known by it
     * @param where the property that names the policy
     * @param policy a policy under {@code retryon.policies}; {@code null} for the defaults alone
     * @return the policy
     */
    public RetryPolicy policy(String name, String where, @Nullable String policy) {
        EffectiveSettings settings = settings(where, policy);
        boolean fits = refuse(Setting.RECOVER, settings, "there is no bean with a recovery method");
        fits &= refuse(Setting.BEFORE_RETRY, settings, "there is no bean with a method to run");
        fits &= refuse(Setting.RETRY_IF, settings, "there is no returned value to check");
        fits &= settings.get(Setting.DURABLE) == StoringMode.OFF
                || refuse(Setting.DURABLE, settings, "there is no bean whose method can be called later");
        if (!fits) {
            return RetryPolicy.builder().build();
        }
        Assembly assembly = assembler.assemble(name, REQUEST, settings);
        for (RetryFault fault : assembly.faults()) {
            faults.add(new RetryFault(
                    fault.place().isProperty() ? fault.place() : Place.property(where),
                    fault.problem(),
                    List.of(),
                    fault.related()));
        }
        warnings.warnOfClients(settings, layers(where, policy));
        return assembly.retry().build().policy();
    }

    /**
     * The listeners that a policy names.
     *
     * @param where the property that names the policy
     * @param policy a policy under {@code retryon.policies}; {@code null} for the defaults alone
     * @return one that stands for all of them; {@code null} if there are none
     * @throws IllegalArgumentException if one of them is no listener bean, which {@link #policy} records
     */
    public @Nullable RetryListener listener(String where, @Nullable String policy) {
        return assembler.listener(settings(where, policy));
    }

    /**
     * The settings that a policy is made of. Methods of beans, {@code retryIf} and {@code durable} in {@code
     * retryon.defaults} are for methods, and left out.
     *
     * @param where the property that names the policy
     * @param policy a policy under {@code retryon.policies}; {@code null} for the defaults alone
     * @return the settings with their sources
     */
    public EffectiveSettings settings(String where, @Nullable String policy) {
        List<RetryLayer> layers = layers(where, policy);
        return EffectiveSettings.defaults()
                .with(layers.get(0))
                .without(Setting.RECOVER, Setting.BEFORE_RETRY, Setting.RETRY_IF, Setting.BUDGET_KEY, Setting.DURABLE)
                .with(layers.subList(1, layers.size()));
    }

    /** The defaults and, if there is one, the named policy. */
    private List<RetryLayer> layers(String where, @Nullable String policy) {
        List<RetryLayer> layers = new ArrayList<>(List.of(configured.defaults()));
        if (policy != null) {
            layers.addAll(reader.policy(Place.property(where), policy));
        }
        return layers;
    }

    private static Method request() {
        try {
            // In plain sight of the compiler of native images.
            return Requests.class.getDeclaredMethod("request");
        } catch (NoSuchMethodException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private boolean refuse(Setting<?> setting, EffectiveSettings settings, String reason) {
        EffectiveSettings.Value<?> value = settings.value(setting);
        if (value == null) {
            return true;
        }
        faults.add(
                settings.place(setting),
                "is '" + value.print() + "', but " + reason
                        + " in HTTP requests; use a separate policy for them, retryon.http.policy");
        return false;
    }

    /** Has the method that requests are assembled for; it has no parameters that a gate could name. */
    private interface Requests {

        @SuppressWarnings("UnusedMethod") // by reflection
        void request();
    }
}
