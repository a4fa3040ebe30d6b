// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import dev.retryon.Retry;
import dev.retryon.RetryOperation;
import dev.retryon.spring.ReturnStyle;
import dev.retryon.spring.module.HandoverBackend.AdaptableStyle;
import dev.retryon.spring.module.HandoverBackend.DeferredInvocation;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/** Methods that return futures or stages. A thread waits for a future that is not a stage, but not between attempts. */
final class FutureStyle implements AdaptableStyle {

    /** One thread for each such future, because a pool's threads could all wait for work that is queued behind them. */
    private static final SimpleAsyncTaskExecutor OWN_THREADS = ownThreads();

    private final Supplier<? extends @Nullable Executor> executor;

    /** Whether the caller's thread runs all attempts, because it would only wait for the future. */
    private final boolean held;

    FutureStyle(Supplier<? extends @Nullable Executor> executor, boolean held) {
        this.executor = executor;
        this.held = held;
    }

    private static SimpleAsyncTaskExecutor ownThreads() {
        SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("retryon-future-");
        threads.setDaemon(true);
        threads.setVirtualThreads(Runtime.version().feature() >= 21);
        return threads;
    }

    @Override
    public boolean isStyleOf(Method method) {
        Class<?> type = method.getReturnType();
        return type == CompletableFuture.class || type == CompletionStage.class || type == Future.class;
    }

    @Override
    public ReturnStyle held() {
        return new FutureStyle(executor, true);
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway", "FutureReturnValueIgnored"}) // null is a failed attempt
    public @Nullable Object call(
            Retry retry, MethodInvocation invocation, RetryOperation<MethodInvocation, @Nullable Object> attempts)
            throws Throwable {
        if (held) {
            // A recovery returns a future, as the method does.
            return CompletableFuture.completedFuture(retry.<ConvertedInvocation, @Nullable Object>call(
                    new ConvertedInvocation(invocation, recovered -> recovered == null ? null : value(recovered)),
                    (subject, attempt) -> value(attempts.run(subject.original(), attempt))));
        }
        if (invocation.getMethod().getReturnType() != Future.class) {
            return retry.<MethodInvocation, @Nullable Object>callAsync(invocation, (subject, attempt) ->
                    (CompletionStage<@Nullable Object>) attempts.run(subject, attempt));
        }
        return retry.<ConvertedInvocation, @Nullable Object>callAsync(
                new ConvertedInvocation(invocation, this::stage),
                (subject, attempt) -> stage(attempts.run(subject.original(), attempt)));
    }

    /** Waits for the future that an attempt or a recovery has returned. */
    private static @Nullable Object value(@Nullable Object returned) throws Throwable {
        if (returned == null) {
            throw new IllegalStateException("an attempt returned null, not a future");
        }
        // A JDK minimal stage is also a Future, but threads cannot wait for it.
        return DeferredInvocation.await(
                returned instanceof CompletionStage<?> stage ? stage.toCompletableFuture() : (Future<?>) returned);
    }

    @SuppressWarnings("unchecked")
    private @Nullable CompletionStage<@Nullable Object> stage(@Nullable Object returned) {
        if (returned == null || returned instanceof CompletionStage<?>) {
            return (CompletionStage<@Nullable Object>) returned;
        }
        Future<?> future = (Future<?>) returned;
        CompletableFuture<@Nullable Object> stage = new CompletableFuture<>();
        Runnable wait = () -> complete(stage, future);
        if (future.isDone()) {
            wait.run();
            return stage;
        }
        Executor configured = executor.get();
        try {
            (configured != null ? configured : OWN_THREADS).execute(wait);
        } catch (RejectedExecutionException ex) {
            OWN_THREADS.execute(wait);
        }
        return cancelling(stage, future);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the stage itself is returned
    private static CompletionStage<@Nullable Object> cancelling(
            CompletableFuture<@Nullable Object> stage, Future<?> future) {
        stage.whenComplete((value, error) -> {
            if (stage.isCancelled()) {
                future.cancel(true);
            }
        });
        return stage;
    }

    private static void complete(CompletableFuture<@Nullable Object> stage, Future<?> future) {
        try {
            stage.complete(future.get());
        } catch (ExecutionException ex) {
            stage.completeExceptionally(new CompletionException(ex.getCause()));
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            stage.completeExceptionally(ex);
        } catch (Throwable ex) {
            stage.completeExceptionally(ex);
        }
    }
}
