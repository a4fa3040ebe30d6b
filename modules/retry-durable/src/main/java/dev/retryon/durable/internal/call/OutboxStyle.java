// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.Retry;
import dev.retryon.RetryOperation;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.ReturnStyle;
import dev.retryon.spring.module.HandoverBackend.AdaptableStyle;
import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.RetrySettings;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The style of {@code OUTBOX} methods: a call is stored instead of running. A method that returns a publisher stores the
 * call on subscription, all others store it at once. A worker that runs a stored call does not store it again.
 *
 * @param later the style in which the method returns its result later; {@code null} if the method is {@code void}
 */
record OutboxStyle(RetriedMethod method, @Nullable ReturnStyle later, DurableCalls calls, RetrySettings override)
        implements AdaptableStyle {

    /** Stores a call on subscription, without a retry. */
    private static final Retry ONCE =
            Retry.of("retryon-outbox", RetryPolicy.builder().maxAttempts(1).build());

    @Override
    public boolean isStyleOf(Method other) {
        return other.equals(method.method());
    }

    @Override
    public @Nullable ReturnStyle resumed() {
        return AdaptableStyle.resumed(later);
    }

    @Override
    public ReturnStyle overridden(RetrySettings settings) {
        return settings.isEmpty() ? this : new OutboxStyle(method, later, calls, settings);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the caller receives the future
    public @Nullable Object call(
            Retry retry, MethodInvocation invocation, RetryOperation<MethodInvocation, @Nullable Object> attempts)
            throws Throwable {
        if (later == null) {
            prepared(invocation).run();
            return null;
        }
        if (CompletionStage.class.isAssignableFrom(method.method().getReturnType())) {
            // Not by a failed future, which a caller might ignore: the transaction must not commit without the call.
            prepared(invocation).run();
            return CompletableFuture.completedFuture(null);
        }
        boolean apart = calls.settings().outboxApart();
        return later.call(ONCE, invocation, (call, attempt) -> OutboxPublisher.storing(prepared(invocation), apart));
    }

    private Runnable prepared(MethodInvocation invocation) {
        return calls.first(method, invocation.getThis(), method.declared(invocation.getArguments()), override);
    }
}
