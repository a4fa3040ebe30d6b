// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import dev.retryon.spring.module.HandoverBackend.DeferredInvocation;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** A call whose retry is decided without running an attempt. */
final class UnmadeInvocation implements DeferredInvocation {

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

    /** Waits for a recovery's result that comes later. */
    @Override
    public @Nullable Object recovered(@Nullable Object returned) throws Throwable {
        Future<?> later = StoredMethods.later(returned);
        return later == null ? returned : DeferredInvocation.await(later);
    }

    @Override
    public Object proceed() {
        throw new IllegalStateException("no attempt of this call is running");
    }
}
