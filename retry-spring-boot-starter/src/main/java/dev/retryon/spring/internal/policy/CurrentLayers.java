/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.policy;

import dev.retryon.spring.internal.declaration.PointcutPolicies;
import dev.retryon.spring.internal.declaration.RetryDeclarations;
import dev.retryon.spring.internal.expression.RetryExpressions;
import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.internal.settings.RetryLayer;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The layers that properties make, which others may take the place of while the application runs. Thread-safe. */
final class CurrentLayers {

    private final Parts parts;

    private final RetriedMethods methods;

    private volatile MethodLayers layers;

    /** The classes of all beans. */
    private volatile Set<Class<?>> beans = Set.of();

    CurrentLayers(Parts parts, RetriedMethods methods, ConfiguredLayers configured) {
        this.parts = parts;
        this.methods = methods;
        this.layers = make(parts, configured);
    }

    /** The parts that do not change. */
    record Parts(
            RetryDeclarations declarations,
            PointcutPolicies pointcuts,
            RetryExpressions expressions,
            UnusedPolicies unusedPolicies,
            RetryFaults faults,
            @Nullable ClassLoader classLoader) {}

    private static MethodLayers make(Parts parts, ConfiguredLayers configured) {
        RetryFaults faults = parts.faults();
        OperatorKeys keys = new OperatorKeys(configured.methods(), faults, parts.classLoader());
        return new MethodLayers(configured, parts.declarations(), parts.pointcuts(), keys, parts.expressions(), faults);
    }

    /** The layers that apply to methods that are found from now on. */
    MethodLayers get() {
        return layers;
    }

    void become(MethodLayers next) {
        layers = next;
    }

    /** The layers that other properties make; records what is wrong with them. */
    MethodLayers read(ConfiguredLayers configured) {
        return make(parts, configured);
    }

    /** The layers that a method has if properties say other things than when it was found. */
    List<RetryLayer> of(RetriedMethod method, MethodLayers some) {
        return some.of(
                method.beanClass(), method.method(), parts.declarations().on(method.beanClass(), method.method()));
    }

    /** Checks what no method has, and remembers the beans for later checks. */
    void checkUnused(Set<Class<?>> classes) {
        beans = classes;
        checkUnused(layers);
    }

    /** Reports keys of {@code retryon.methods} that fit no method, and what is wrong with policies that no method has. */
    void checkUnused(MethodLayers some) {
        some.keys().checkUnused(methods, beans);
        parts.unusedPolicies().check(some.configured().policies().values());
    }
}
