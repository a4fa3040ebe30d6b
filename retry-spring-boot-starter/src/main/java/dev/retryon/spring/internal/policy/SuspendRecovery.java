// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import java.lang.reflect.Method;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.Job;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.CoroutinesUtils;

/** Calls recovery methods that are suspend functions. This is a separate class, because Kotlin can be missing. */
final class SuspendRecovery {

    private SuspendRecovery() {}

    /** Calls a suspend function, in the coroutine context of the recovered call, when the result is subscribed to. */
    static Publisher<?> call(
            Method recovery, @Nullable Object bean, @Nullable Object[] arguments, MethodInvocation recovered) {
        @Nullable Object[] all = recovered.getArguments();
        Continuation<?> caller = (Continuation<?>) all[all.length - 1];
        if (caller == null) {
            throw new IllegalStateException("a suspend function was called without a continuation");
        }
        CoroutineContext context = caller.getContext().minusKey(Job.Key);
        return CoroutinesUtils.invokeSuspendingFunction(context, recovery, bean, arguments);
    }
}
