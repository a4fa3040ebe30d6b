/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.style;

import dev.retryon.Retry;
import dev.retryon.RetryOperation;
import dev.retryon.spring.ReturnStyle;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Methods whose caller is a thread that only waits for the future that they return: that thread makes all attempts and waits
 * between them, as for a method that returns a plain value.
 */
final class HeldFutureStyle implements ReturnStyle {

    private final FutureStyle futures;

    HeldFutureStyle(FutureStyle futures) {
        this.futures = futures;
    }

    @Override
    public boolean isStyleOf(Method method) {
        return futures.isStyleOf(method);
    }

    @Override
    @SuppressWarnings({"NullAway", "FutureReturnValueIgnored"}) // T admits null; the caller gets the future
    public @Nullable Object call(
            Retry retry, MethodInvocation invocation, RetryOperation<MethodInvocation, @Nullable Object> attempts)
            throws Throwable {
        // A recovery returns a future as the method does.
        return CompletableFuture.completedFuture(retry.<ConvertedInvocation, @Nullable Object>call(
                new ConvertedInvocation(invocation, recovered -> recovered == null ? null : value(recovered)),
                (subject, attempt) -> value(attempts.run(subject.original(), attempt))));
    }

    /** Waits for the future that an attempt or a recovery has returned. */
    static @Nullable Object value(@Nullable Object returned) throws Throwable {
        if (returned == null) {
            throw new IllegalStateException("an attempt returned null, not a future");
        }
        // A stage of the JDK's minimal kind is a Future too, but can't be waited for.
        Future<?> future =
                returned instanceof CompletionStage<?> stage ? stage.toCompletableFuture() : (Future<?>) returned;
        return ReturnStyles.await(future);
    }
}
