// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Kind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The time limit of one attempt of an asynchronous call. The limited stage completes like the attempt's stage. If the
 * time is over before, the limited stage fails and cancels the attempt's stage. The time counts from the start of the
 * attempt. Code that blocks before it returns a stage is not interrupted.
 */
final class LimitedStage<T extends @Nullable Object> extends CompletableFuture<T>
        implements BiFunction<T, @Nullable Throwable, @Nullable Object>, Runnable {

    private final CallSettings retry;

    private final int attempt;

    private final Duration time;

    private volatile @Nullable CompletionStage<T> stage;

    private volatile RetryTime.@Nullable Handle timer;

    private LimitedStage(CallSettings retry, int attempt, Duration time) {
        this.retry = retry;
        this.attempt = attempt;
        this.time = time;
    }

    static <S, T extends @Nullable Object> RetryOperation<S, ? extends CompletionStage<T>> around(
            CallSettings retry, RetryOperation<S, ? extends CompletionStage<T>> operation) {
        Duration time = retry.policy().attemptTimeout();
        return time == null
                ? operation
                : (subject, attempt) -> LimitedStage.<S, T>run(retry, time, operation, subject, attempt);
    }

    @SuppressWarnings("NullAway") // null if the operation returns null, which is not permitted
    private static <S, T extends @Nullable Object> CompletionStage<T> run(
            CallSettings retry,
            Duration time,
            RetryOperation<S, ? extends CompletionStage<T>> operation,
            S subject,
            int attempt)
            throws Throwable {
        LimitedStage<T> limited = new LimitedStage<>(retry, attempt, time);
        RetryTime.Handle timer = retry.engine().time().limit(limited, time);
        limited.timer = timer;
        CompletionStage<T> stage = null;
        try {
            stage = operation.run(subject, attempt);
        } finally {
            if (stage == null) {
                retry.engine().cancel(timer);
            }
        }
        if (stage == null) {
            return null;
        }
        limited.stage = stage;
        stage.handle(limited);
        if (limited.isDone()) {
            limited.cancelStage();
        }
        return limited;
    }

    @Override
    public @Nullable Object apply(T value, @Nullable Throwable error) {
        stage = null;
        cancelTimer();
        if (error != null) {
            completeExceptionally(error);
        } else {
            complete(value);
        }
        return null;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        cancelTimer();
        cancelStage();
        return cancelled;
    }

    /** Ends the attempt on another thread, because application code that runs at the end must not block the timer. */
    @Override
    public void run() {
        if (!isDone()) {
            retry.engine().elsewhere(this::expire);
        }
    }

    private void expire() {
        if (completeExceptionally(new AttemptTimeoutException(retry.name(), attempt, time))) {
            cancelStage();
        }
    }

    private void cancelTimer() {
        RetryTime.Handle scheduled = timer;
        if (scheduled != null) {
            retry.engine().cancel(scheduled);
        }
    }

    private void cancelStage() {
        CompletionStage<T> running = stage;
        if (running != null) {
            cancel(running, retry);
        }
    }

    /** Returns whether a future has already succeeded; {@code false} if unknown, as with the JDK's minimal stages. */
    static boolean hasSucceeded(CompletableFuture<?> future) {
        try {
            return future.isDone() && !future.isCompletedExceptionally();
        } catch (Throwable ex) {
            return false;
        }
    }

    static void cancel(CompletionStage<?> stage, CallSettings retry) {
        try {
            Future<?> future = stage instanceof Future<?> running ? running : stage.toCompletableFuture();
            future.cancel(true);
        } catch (UnsupportedOperationException ex) {
            // A stage need not support cancellation. Its outcome no longer matters.
            return;
        } catch (Throwable ex) {
            retry.report(Kind.WAIT, "the stage of an attempt could not be cancelled", ex, null);
        }
    }
}
