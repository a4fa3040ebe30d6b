/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.Retry;
import dev.retryon.RetryPolicy;
import dev.retryon.RetrySwitch;
import dev.retryon.spring.settings.Durability;
import dev.retryon.spring.settings.EffectiveSettings;
import dev.retryon.spring.settings.Place;
import dev.retryon.spring.settings.RetryFault;
import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.settings.RetryLayer;
import dev.retryon.spring.settings.RetrySettings;
import dev.retryon.spring.settings.Setting;
import dev.retryon.spring.settings.SettingSource;
import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Collectors;

/** Makes what runs the calls of a method out of the layers that hold for it. Thread-safe. */
final class LayeredRetries {

    private final PolicyAssembler assembler;

    private final MethodRetries retries;

    private final ReturnTypes returnTypes;

    private final PolicyWarnings warnings;

    private final RetryFaults faults;

    LayeredRetries(
            PolicyAssembler assembler,
            MethodRetries retries,
            ReturnTypes returnTypes,
            PolicyWarnings warnings,
            RetryFaults faults) {
        this.assembler = assembler;
        this.retries = retries;
        this.returnTypes = returnTypes;
        this.warnings = warnings;
        this.faults = faults;
    }

    /**
     * Makes what runs the calls of a method, with the policy of an earlier method if all layers are equal. Records what is
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
            // What is durable depends on the method, so it has no shared policy.
            return retries.build(
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
        Retry made = retries.build(
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

    /** Whether no layer is an operator's, whose policies would never be let go. */
    private static boolean isLasting(List<RetryLayer> layers) {
        return layers.stream().noneMatch(layer -> layer.source() instanceof SettingSource.Operator);
    }

    private Assembly assemble(String name, Class<?> beanClass, Method method, EffectiveSettings settings) {
        Assembly assembly = assembler.assemble(name, beanClass, method, returnTypes.isHolder(method), settings);
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
     * Makes what runs one call of a method, with one more layer.
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
        Durability durable = method.settings().get(Setting.DURABLE);
        if (durable != null && durable != Durability.OFF) {
            warnings.warnOfDurableCall(method, settings);
        }
        return retries.build(
                method.beanClass(),
                method.method(),
                method.name(),
                assembly.retry().retrySwitch(method.retrySwitch()),
                durable,
                settings);
    }
}
