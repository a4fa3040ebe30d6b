/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.stored;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** A call that is decided upon, but not made. */
final class UnmadeInvocation implements MethodInvocation {

    private final Method method;

    private final Object target;

    private final @Nullable Object[] arguments;

    UnmadeInvocation(Method method, Object target, @Nullable Object[] arguments) {
        this.method = method;
        this.target = target;
        this.arguments = arguments;
    }

    @Override
    public Method getMethod() {
        return method;
    }

    @Override
    public @Nullable Object[] getArguments() {
        return arguments;
    }

    @Override
    public Object getThis() {
        return target;
    }

    @Override
    public AccessibleObject getStaticPart() {
        return method;
    }

    @Override
    public Object proceed() {
        throw new IllegalStateException("no attempt of this call is running");
    }
}
