// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.Retry;
import dev.retryon.RetryBuilder;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import dev.retryon.backoff.Backoff;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.internal.expression.RetryExpressions;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.HandoverBackend;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingSource;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Builds retries of methods, HTTP clients and the registry from layers of settings. Thread-safe. */
public final class RetryFactory {

    private final ConfigurableListableBeanFactory beanFactory;

    private final RetryExpressions expressions;

    private final Supplier<RetryEngine> engine;

    private final RetryBudgets budgets;

    private final Predicate<Method> hasManyValues;

    private final @Nullable Integer maxAttemptsLimit;

    private final PolicyWarnings warnings;

    private final NamedRetries retries;

    private final RetryFaults faults;

    /** @param hasManyValues whether a method's result can be many values, so that no individual value can be checked */
    public RetryFactory(
            ConfigurableListableBeanFactory beanFactory,
            Supplier<RetryEngine> engine,
            RetryBudgets budgets,
            Predicate<Method> hasManyValues,
            @Nullable Integer maxAttemptsLimit,
            NamedRetries retries,
            RetryFaults faults) {
        this.beanFactory = beanFactory;
        this.expressions = new RetryExpressions(beanFactory);
        this.engine = engine;
        this.budgets = budgets;
        this.hasManyValues = hasManyValues;
        this.maxAttemptsLimit = maxAttemptsLimit;
        this.warnings = new PolicyWarnings(faults, maxAttemptsLimit);
        this.retries = retries;
        this.faults = faults;
    }

    ConfigurableListableBeanFactory beanFactory() {
        return beanFactory;
    }

    RetryExpressions expressions() {
        return expressions;
    }

    RetryEngine engine() {
        return engine.get();
    }

    RetryBudgets budgets() {
        return budgets;
    }

    boolean hasManyValues(Method method) {
        return hasManyValues.test(method);
    }

    @Nullable Integer maxAttemptsLimit() {
        return maxAttemptsLimit;
    }

    /** Builds a retry, and records faults. A method has the policy of an earlier method if all their layers are equal. */
    Retry build(NamedRetry retry, NamedRetry.Layers layers) {
        boolean isMethod = retry instanceof MethodRetry;
        RetryPolicy shared = isMethod ? layers.base().policies().get(layers.all()) : null;
        if (shared != null) {
            // Groups of settings depend on the method, so they have no shared policy.
            return build(retry, retry.builder(shared, engine()), false, RetrySettings.NONE);
        }
        EffectiveSettings settings = layers.settings().get();
        Assembly assembly = new Assembly(this, retry, settings);
        RetryBuilder builder = assembly.build();
        assembly.faults().forEach(faults::add);
        boolean odd = warnings.warn(retry, settings, layers.all());
        Retry made = build(retry, builder, isMethod && settings.isHandedOver(), RetrySettings.NONE);
        // Faults and warnings are reported for each method.
        if (isMethod && !odd && assembly.faults().isEmpty() && isForAnyMethod(settings) && isLasting(layers.all())) {
            layers.base().policies().put(layers.all(), made.policy());
        }
        return made;
    }

    void check(StandaloneRetry retry, List<RetrySettings> layers) {
        EffectiveSettings settings = EffectiveSettings.defaults().with(layers);
        Assembly assembly = new Assembly(this, retry, settings);
        assembly.build();
        assembly.faults().forEach(faults::add);
        warnings.warn(retry, settings, layers);
    }

    /** Returns whether settings create the same policy for every method, regardless of its bean, parameters and name. */
    private static boolean isForAnyMethod(EffectiveSettings settings) {
        return settings.values().entrySet().stream()
                .allMatch(entry -> !entry.getKey().dependsOnMethod()
                        || (entry.getKey().equals(Setting.BACKOFF)
                                && Backoff.names().contains(entry.getValue().value())));
    }

    /** Returns whether no layer comes from an operator. The policies of operators' layers would never be released. */
    private static boolean isLasting(List<RetrySettings> layers) {
        return layers.stream().noneMatch(layer -> layer.source().isOperator());
    }

    /** Builds the retry for one call. Throws IllegalArgumentException if the settings contradict each other. */
    Retry override(MethodRetry method, RetrySettings settings) {
        EffectiveSettings merged = method.settings().with(settings.from(SettingSource.CALL));
        Assembly assembly = new Assembly(this, method, merged);
        RetryBuilder builder = assembly.build();
        warnings.warnOfCall(method, merged);
        refuse(assembly.faults().stream().filter(faults::isFatal).toList());
        boolean handsOver = method.isHandedOver();
        if (handsOver) {
            warnings.warnOfStoredCall(method, settings);
        }
        return build(method, builder, handsOver, settings);
    }

    /** Records a method's expressions that call missing methods of the object. */
    void checkMethods(MethodRetry method) {
        Assembly assembly = new Assembly(this, method, method.settings());
        assembly.checkMethods();
        assembly.faults().forEach(faults::add);
    }

    static void refuse(List<RetryFault> faults) {
        if (!faults.isEmpty()) {
            throw new IllegalArgumentException(
                    faults.stream().map(RetryFault::toString).collect(Collectors.joining("; ")));
        }
    }

    /** @param override the settings for one call, which also apply to later attempts of a call that is handed over */
    private Retry build(NamedRetry retry, RetryBuilder builder, boolean handsOver, RetrySettings override) {
        if (retry instanceof MethodRetry) {
            retries.names().declare(retry.name());
        }
        retries.count(retry.name(), builder.retrySwitch(retry.retrySwitch()));
        if (handsOver) {
            builder.handOver(HandoverBackend.of(beanFactory, override));
        }
        return builder.build();
    }
}
