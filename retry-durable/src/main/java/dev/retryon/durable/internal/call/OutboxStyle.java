/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.call;

import dev.retryon.Retry;
import dev.retryon.RetryOperation;
import dev.retryon.spring.RetrySettings;
import dev.retryon.spring.ReturnStyle;
import dev.retryon.spring.internal.expression.DeclaredParameters;
import dev.retryon.spring.internal.policy.RetriedMethod;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Calls that are stored in the place of their first attempt. A call that a worker makes is not stored again. */
final class OutboxStyle implements ReturnStyle {

    private final RetriedMethod method;

    private final DurableCalls calls;

    private final RetrySettings override;

    OutboxStyle(RetriedMethod method, DurableCalls calls, RetrySettings override) {
        this.method = method;
        this.calls = calls;
        this.override = override;
    }

    @Override
    public boolean isStyleOf(Method other) {
        return other.equals(method.method());
    }

    @Override
    public @Nullable ReturnStyle resumed() {
        return null;
    }

    @Override
    public ReturnStyle overridden(RetrySettings settings) {
        return settings.isEmpty() ? this : new OutboxStyle(method, calls, settings);
    }

    @Override
    public @Nullable Object call(
            Retry retry, MethodInvocation invocation, RetryOperation<MethodInvocation, @Nullable Object> attempts) {
        calls.storeFirst(
                method,
                invocation.getThis(),
                DeclaredParameters.arguments(method.method(), invocation.getArguments()),
                override);
        return null;
    }
}
