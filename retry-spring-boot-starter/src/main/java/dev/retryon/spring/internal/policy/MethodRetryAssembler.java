/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.policy;

import dev.retryon.CallSubject;
import dev.retryon.Retry;
import dev.retryon.RetryBuilder;
import dev.retryon.RetryPolicy;
import dev.retryon.RetrySwitch;
import dev.retryon.spring.Place;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetrySettings;
import dev.retryon.spring.internal.declaration.MethodKey;
import dev.retryon.spring.internal.expression.DeclaredParameters;
import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.RetryLayer;
import dev.retryon.spring.internal.settings.Setting;
import dev.retryon.spring.internal.settings.SettingSource;
import dev.retryon.spring.internal.settings.StoringMode;
import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Collectors;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Builds the retry of a method from the layers that apply to it. Thread-safe. */
final class MethodRetryAssembler {

    private final PolicyAssembler assembler;

    private final CountersByName counters;

    private final DurableRetries handover;

    private final ReturnTypes returnTypes;

    private final PolicyWarnings warnings;

    private final RetryFaults faults;

    MethodRetryAssembler(
            PolicyAssembler assembler,
            CountersByName counters,
            DurableRetries handover,
            ReturnTypes returnTypes,
            PolicyWarnings warnings,
            RetryFaults faults) {
        this.assembler = assembler;
        this.counters = counters;
        this.handover = handover;
        this.returnTypes = returnTypes;
        this.warnings = warnings;
        this.faults = faults;
    }

    /**
     * Builds the retry of a method, with the policy of an earlier method if all layers are equal. Records what is
     * wrong with the settings.
     */
    Retry retry(
            String name,
            Class<?> beanClass,
            Method method,
            RetrySwitch retrySwitch,
            List<RetryLayer> layers,
            SharedPolicies policies) {
        RetryPolicy shared = policies.find(layers);
        if (shared != null) {
            // Durable settings depend on the method, so they have no shared policy.
            return build(
                    beanClass,
                    method,
                    name,
                    assembler.retry(name, shared).retrySwitch(retrySwitch),
                    null,
                    RetrySettings.NONE);
        }
        EffectiveSettings settings = EffectiveSettings.defaults().with(layers);
        Assembly assembly = assemble(name, beanClass, method, settings);
        assembly.faults().forEach(faults::add);
        assembly.warnings().forEach(warning -> faults.warn(warning.code(), warning.sentence()));
        boolean odd = warnings.warn(beanClass, method, settings, layers)
                || !assembly.warnings().isEmpty();
        Retry made = build(
                beanClass,
                method,
                name,
                assembly.retry().retrySwitch(retrySwitch),
                settings.get(Setting.DURABLE),
                RetrySettings.NONE);
        // Faults and warnings are reported for each method.
        if (!odd && assembly.faults().isEmpty() && PolicyAssembler.isForAnyMethod(settings) && isLasting(layers)) {
            policies.share(layers, made.policy());
        }
        return made;
    }

    /** Whether no layer comes from an operator. The policies of such layers would never be released. */
    private static boolean isLasting(List<RetryLayer> layers) {
        return layers.stream().noneMatch(layer -> layer.source().isOperator());
    }

    private Assembly assemble(String name, Class<?> beanClass, Method method, EffectiveSettings settings) {
        Assembly assembly = assembler.assemble(name, beanClass, method, settings);
        String retryIf = settings.get(Setting.RETRY_IF);
        if (retryIf == null || retryIf.isEmpty() || !returnTypes.hasManyValues(method)) {
            return assembly;
        }
        Place place = settings.place(Setting.RETRY_IF);
        return assembly.with(new RetryFault(
                place,
                "retryIf is '" + retryIf + "', but "
                        + (place.isProperty() ? "the method" : "method " + method.getName())
                        + " returns a stream, which has no single value to judge; return a Mono of a list, or fail"
                        + " the stream with an error that is retried",
                place.isProperty() ? List.of(MethodKey.of(beanClass, method).toShortString()) : List.of()));
    }

    /**
     * Builds the retry of one call of a method, with one more layer.
     *
     * @throws IllegalArgumentException if the settings contradict each other
     */
    Retry override(RetriedMethod method, RetrySettings settings) {
        EffectiveSettings merged = method.settings().with(new RetryLayer(SettingSource.call(), settings));
        Assembly assembly = assemble(method.name(), method.beanClass(), method.method(), merged);
        warnings.warnOfCall(method, merged);
        List<RetryFault> fatal =
                assembly.faults().stream().filter(faults::isFatal).toList();
        if (!fatal.isEmpty()) {
            throw new IllegalArgumentException(
                    fatal.stream().map(RetryFault::toString).collect(Collectors.joining("; ")));
        }
        // Not that of the override: whether the method is durable was checked at start-up.
        StoringMode durable = method.settings().get(Setting.DURABLE);
        if (durable != null && durable != StoringMode.OFF) {
            warnings.warnOfDurableCall(method, settings);
        }
        return build(
                method.beanClass(),
                method.method(),
                method.name(),
                assembly.retry().retrySwitch(method.retrySwitch()),
                durable,
                settings);
    }

    /**
     * Completes what runs the calls of a method.
     *
     * @param durable whether what fails is stored
     * @param override what one call overrides, and later attempts of it too
     */
    private Retry build(
            Class<?> beanClass,
            Method method,
            String name,
            RetryBuilder retry,
            @Nullable StoringMode durable,
            RetrySettings override) {
        String key = MethodKey.of(beanClass, method).toString();
        retry.subjects((MethodInvocation invocation) -> CallSubject.of(
                key, invocation.getThis(), DeclaredParameters.arguments(method, invocation.getArguments())));
        counters.count(name, retry);
        if (durable != null && durable != StoringMode.OFF) {
            retry.spi().handOver(handover.with(override));
        }
        return retry.build();
    }
}
