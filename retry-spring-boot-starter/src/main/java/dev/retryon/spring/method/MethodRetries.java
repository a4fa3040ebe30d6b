/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.CallSubject;
import dev.retryon.Retry;
import dev.retryon.RetryBuilder;
import dev.retryon.StoredCalls;
import dev.retryon.spring.expression.DeclaredParameters;
import dev.retryon.spring.settings.Durability;
import dev.retryon.spring.settings.RetrySettings;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Gives retries what is particular to calls of methods: the description of the call, counters, and who makes durable ones. */
final class MethodRetries {

    private final RetriedMethods methods;

    private final DurableRetries handover;

    /**
     * Creates it.
     *
     * @param methods has the counters
     * @param handover takes over the retries of durable calls
     */
    MethodRetries(RetriedMethods methods, DurableRetries handover) {
        this.methods = methods;
        this.handover = handover;
    }

    /**
     * Completes what runs the calls of a method.
     *
     * @param durable whether what fails is stored
     * @param override what one call overrides, and later attempts of it too
     */
    Retry build(
            Class<?> beanClass,
            Method method,
            String name,
            RetryBuilder retry,
            @Nullable Durability durable,
            RetrySettings override) {
        String key = MethodKey.of(beanClass, method).toString();
        retry.subjects((MethodInvocation invocation) -> CallSubject.of(
                key, invocation.getThis(), DeclaredParameters.arguments(method, invocation.getArguments())));
        methods.counted(name, retry);
        if (durable != null && durable != Durability.OFF) {
            StoredCalls.handOver(retry, handover.with(override));
        }
        return retry.build();
    }
}
