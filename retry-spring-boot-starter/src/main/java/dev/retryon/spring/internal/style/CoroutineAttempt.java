// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import dev.retryon.AttemptScope;
import dev.retryon.RetryContext;
import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.ThreadContextElement;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** An attempt in its coroutine's context, so that {@link RetryContext#current()} finds the call on any thread. */
final class CoroutineAttempt extends AbstractCoroutineContextElement implements ThreadContextElement<AttemptScope> {

    private static final CoroutineContext.Key<CoroutineAttempt> KEY = new CoroutineContext.Key<>() {};

    private final RetryContext call;

    private CoroutineAttempt(RetryContext call) {
        super(KEY);
        this.call = call;
    }

    /** Returns the call to a suspend function, with the current attempt in the coroutine's context. */
    static MethodInvocation in(MethodInvocation invocation) {
        @Nullable Object[] arguments = invocation.getArguments().clone();
        int last = arguments.length - 1;
        if (!(invocation instanceof ProxyMethodInvocation proxied)
                || !(arguments[last] instanceof Continuation<?> caller)) {
            return invocation;
        }
        CoroutineContext context = caller.getContext().plus(new CoroutineAttempt(RetryContext.current()));
        arguments[last] = new Resumed(context);
        return proxied.invocableClone(arguments);
    }

    @Override
    public AttemptScope updateThreadContext(CoroutineContext context) {
        return AttemptScope.open(call);
    }

    @Override
    public void restoreThreadContext(CoroutineContext context, AttemptScope scope) {
        scope.close();
    }

    /** Carries the context to Spring, which creates its own coroutine and resumes the caller through a publisher. */
    private record Resumed(CoroutineContext context) implements Continuation<Object> {

        @Override
        public CoroutineContext getContext() {
            return context;
        }

        @Override
        public void resumeWith(Object result) {
            throw new IllegalStateException("the caller is resumed through a publisher");
        }
    }
}
