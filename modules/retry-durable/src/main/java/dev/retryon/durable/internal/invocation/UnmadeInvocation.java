// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import dev.retryon.spring.module.HandoverBackend.DeferredInvocation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.ReflectiveMethodInvocation;

/** A call whose retry is decided without running an attempt. */
final class UnmadeInvocation extends ReflectiveMethodInvocation implements DeferredInvocation {

    UnmadeInvocation(Method method, Object target, @Nullable Object[] arguments) {
        super(target, target, method, arguments, target.getClass(), List.of());
    }

    /** Waits for a recovery's result that comes later. */
    @Override
    public @Nullable Object recovered(@Nullable Object returned) throws Throwable {
        Future<?> later = StoredMethods.later(returned);
        return later == null ? returned : DeferredInvocation.await(later);
    }

    @Override
    protected Object invokeJoinpoint() {
        throw new IllegalStateException("no attempt of this call is running");
    }
}
