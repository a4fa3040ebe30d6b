/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.style;

import dev.retryon.Retry;
import dev.retryon.RetryOperation;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Methods that return a {@link CompletableFuture}, {@link CompletionStage} or {@link Future}. A future that is no stage can
 * only be waited for: that attempt then holds a thread of the common pool, the waits between attempts hold none.
 *
 * @since 0.1.0
 */
public final class FutureStyle implements ReturnStyle {

    /** Creates the style. */
    public FutureStyle() {}

    @Override
    public boolean isStyleOf(Method method) {
        Class<?> type = method.getReturnType();
        return type == CompletableFuture.class || type == CompletionStage.class || type == Future.class;
    }

    @Override
    public ReturnStyle held() {
        return new HeldFutureStyle(this);
    }

    @Override
    @SuppressWarnings({"NullAway", "FutureReturnValueIgnored"}) // null is a failed attempt; the caller gets the future
    public @Nullable Object call(
            Retry retry, MethodInvocation invocation, RetryOperation<MethodInvocation, @Nullable Object> attempts) {
        return retry.<MethodInvocation, @Nullable Object>callAsync(
                invocation, (subject, attempt) -> stage(attempts.run(subject, attempt)));
    }

    @SuppressWarnings("unchecked")
    private static @Nullable CompletionStage<@Nullable Object> stage(@Nullable Object returned) {
        if (returned == null || returned instanceof CompletionStage<?>) {
            return (CompletionStage<@Nullable Object>) returned;
        }
        Future<?> future = (Future<?>) returned;
        CompletableFuture<@Nullable Object> stage = CompletableFuture.supplyAsync(() -> get(future));
        return cancelling(stage, future);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the stage itself goes out
    private static CompletionStage<@Nullable Object> cancelling(
            CompletableFuture<@Nullable Object> stage, Future<?> future) {
        stage.whenComplete((value, error) -> {
            if (stage.isCancelled()) {
                future.cancel(true);
            }
        });
        return stage;
    }

    private static @Nullable Object get(Future<?> future) {
        try {
            return future.get();
        } catch (ExecutionException ex) {
            throw new CompletionException(ex.getCause());
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new CompletionException(ex);
        }
    }
}
