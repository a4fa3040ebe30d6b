/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.style;

import dev.retryon.Retry;
import dev.retryon.RetryOperation;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Methods that return a future to a thread which does nothing but wait for it: all attempts are made, and waited for, on
 * that thread, as those of a method that returns a plain value.
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
    @SuppressWarnings("NullAway") // T admits null
    public @Nullable Object call(
            Retry retry, MethodInvocation invocation, RetryOperation<MethodInvocation, @Nullable Object> attempts)
            throws Throwable {
        RetryOperation<MethodInvocation, @Nullable Object> values =
                (subject, attempt) -> value(attempts.run(subject, attempt));
        Object value = retry.call(invocation, values);
        // A recovery may give what the method returns, or what that is to hold.
        return value instanceof Future<?> future ? future : CompletableFuture.completedFuture(value);
    }

    private static @Nullable Object value(@Nullable Object returned) throws Throwable {
        if (returned == null) {
            throw new IllegalStateException("an attempt returned null, not a future");
        }
        Future<?> future =
                returned instanceof Future<?> known ? known : ((CompletionStage<?>) returned).toCompletableFuture();
        try {
            return future.get();
        } catch (ExecutionException ex) {
            throw ex.getCause() != null ? ex.getCause() : ex;
        } catch (InterruptedException ex) {
            future.cancel(true);
            throw ex;
        }
    }
}
