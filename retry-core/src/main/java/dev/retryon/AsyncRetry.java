/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous call, and the future that its caller holds. No thread is held while an attempt is in flight or a wait
 * runs: each step is made by whoever ends the one before it.
 *
 * <p>What the call waits for is in one field, {@link #held}: the stage of an attempt, an {@link AsyncWait}, or {@link #ENDED}.
 * Whoever takes it out of there (the stage, the timer, shutdown, a caller that cancels) makes the next step, so there is
 * only ever one.
 *
 * @param <S> what the call is about
 * @param <T> the value's type
 */
final class AsyncRetry<S, T extends @Nullable Object> extends CompletableFuture<T>
        implements BiFunction<T, @Nullable Throwable, @Nullable Object> {

    private static final Object ENDED = new Object();

    private static final VarHandle HELD;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(AsyncRetry.class, "held", Object.class);
        } catch (ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final CallSettings retry;

    private final S subject;

    private final RetryOperation<S, ? extends CompletionStage<T>> operation;

    private final ContextCapture.@Nullable Snapshot snapshot;

    /** The call that this one is made in. */
    private final @Nullable WeakReference<?> around;

    private @Nullable RetryCall call;

    private @Nullable T lastValue;

    private @Nullable Throwable lastThrown;

    /** What is waited before the next attempt. */
    private Duration delay = Duration.ZERO;

    @SuppressWarnings("UnusedVariable") // by the handle
    private volatile @Nullable Object held;

    private AsyncRetry(
            CallSettings retry,
            S subject,
            RetryOperation<S, ? extends CompletionStage<T>> operation,
            ContextCapture.@Nullable Snapshot snapshot,
            @Nullable RetryCall call,
            @Nullable WeakReference<?> around) {
        this.retry = retry;
        this.around = around;
        this.subject = subject;
        this.operation = operation;
        this.snapshot = snapshot;
        this.call = call;
    }

    /** Makes the first attempt, on the caller's thread. If it has succeeded at once, its own future goes out. */
    static <S, T extends @Nullable Object> CompletableFuture<T> start(
            CallSettings retry, S subject, RetryOperation<S, ? extends CompletionStage<T>> operation) {
        RetryOperation<S, ? extends CompletionStage<T>> attempts = LimitedStage.around(retry, operation);
        ContextCapture.Snapshot snapshot = CapturedContext.capture(retry.engine());
        CallFrame frame = CallFrame.get();
        CompletionStage<T> stage = null;
        Throwable thrown = null;
        RetryCall inner;
        WeakReference<?> around;
        Object outer = frame.enter(retry.entered(null));
        try {
            stage = attempts.run(subject, 1);
        } catch (Throwable ex) {
            thrown = ex;
            if (ex instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
        } finally {
            inner = (RetryCall) frame.known();
            around = frame.around(outer);
            frame.leave(outer);
        }
        if (stage instanceof CompletableFuture<T> future
                && retry.policy().retryIf() == null
                && LimitedStage.hasSucceeded(future)) {
            retry.countSuccess();
            return future;
        }
        AsyncRetry<S, T> async = new AsyncRetry<>(retry, subject, attempts, snapshot, inner, around);
        async.follow(stage, thrown);
        return async;
    }

    /** Makes a later attempt, and those that follow it at once on this thread: in a loop, not ever deeper on the stack. */
    void drive() {
        Trampoline.run(this, () -> inside(AsyncRetry::attempt));
    }

    private void attempt() {
        if (hasEnded()) {
            return;
        }
        if (retry.engine().isClosed()) {
            stop(StopReason.SHUTDOWN);
            return;
        }
        RetryCall context = context();
        context.next(delay);
        CompletionStage<T> stage = null;
        Throwable thrown = null;
        try {
            stage = operation.run(subject, context.attempt());
        } catch (Throwable ex) {
            thrown = ex;
        }
        follow(stage, thrown);
    }

    /** An attempt was started, or could not be. */
    private void follow(@Nullable CompletionStage<T> stage, @Nullable Throwable thrown) {
        if (stage == null) {
            settle(
                    null,
                    thrown != null
                            ? thrown
                            : new IllegalStateException(retry.name() + ": an attempt returned null, not a stage"));
            return;
        }
        if (!hold(stage)) {
            LimitedStage.cancel(stage);
            return;
        }
        try {
            // Not whenComplete, which leaves a failed stage behind: a wrapper with a stack trace for each failure.
            stage.handle(this);
        } catch (Throwable ex) {
            if (release(stage)) {
                settle(null, ex);
            }
        }
    }

    /** The stage of the attempt has completed. */
    @Override
    public @Nullable Object apply(@Nullable T value, @Nullable Throwable error) {
        Object stage = held;
        if (stage instanceof CompletionStage && release(stage)) {
            settle(value, error);
        }
        return null;
    }

    /** What came of an attempt. Whatever fails in here, the future completes. */
    private void settle(@Nullable T value, @Nullable Throwable error) {
        Throwable thrown = error;
        while (thrown instanceof CompletionException && thrown.getCause() != null) {
            thrown = thrown.getCause();
        }
        if (thrown == null && call == null && retry.policy().retryIf() == null) {
            end(value, null, AsyncRetry::countSuccess);
            return;
        }
        lastValue = value;
        lastThrown = thrown;
        inside(AsyncRetry::decide);
    }

    private void decide() {
        RetryCall context = context();
        if (lastThrown == null && context.accepts(subject, lastValue)) {
            end(lastValue, null, AsyncRetry::tellSuccess);
            return;
        }
        RetryDecision decision = RetryDecision.decide(context, context.failed(lastThrown), lastThrown, false);
        Duration next = decision.delay();
        if (next == null) {
            stop(decision.stop());
            return;
        }
        delay = next;
        context.publishRetry(next);
        if (next.isZero()) {
            dispatch();
        } else {
            new AsyncWait(this).start(next);
        }
    }

    private void countSuccess() {
        retry.countSuccess();
    }

    private void tellSuccess() {
        if (context().attempt() == 1) {
            retry.countSuccess();
        } else {
            context().publishSuccess();
        }
    }

    /** Has the next attempt made, on a thread of the executor. */
    void dispatch() {
        new QueuedAttempt(this).start();
    }

    /** Nobody runs the next attempt, or nobody wakes this call up for it. */
    void refused(Throwable reason) {
        if (retry.engine().isClosed()) {
            shutDown();
            return;
        }
        retry.notWaited(reason, lastThrown);
        inside(call -> call.stop(StopReason.REJECTED));
    }

    void shutDown() {
        inside(call -> call.stop(StopReason.SHUTDOWN));
    }

    /** Ends the call in failure. */
    private void stop(StopReason reason) {
        context().around(around);
        CallEnd end = new CallEnd(context(), reason, lastThrown, lastValue);
        end.recover();
        if (end.isRecovered() && end.value() instanceof CompletionStage<?> stage) {
            if (hold(stage)) {
                try {
                    stage.whenComplete((value, error) -> inside(call -> {
                        end.recovered(value, error == null ? null : Causes.unwrap(error));
                        call.end(end);
                    }));
                } catch (Throwable ex) {
                    end.recovered(null, ex);
                    end(end);
                }
            }
            return;
        }
        end(end);
    }

    @SuppressWarnings("unchecked") // as RetryRecovery says
    private void end(CallEnd end) {
        end((T) end.value(), end.thrown(), call -> end.close());
    }

    /** The end of the call: what has to be told is told before the caller can see it. */
    private void end(@Nullable T value, @Nullable Throwable thrown, Consumer<? super AsyncRetry<S, T>> telling) {
        if (HELD.getAndSet(this, ENDED) == ENDED) {
            return;
        }
        try {
            telling.accept(this);
        } catch (Throwable ex) {
            CoreLog.warn(retry.name() + ": the end of a call could not be told", ex);
        }
        // What depends on this future is run here, and is no part of the call.
        CallFrame frame = CallFrame.get();
        Object outer = frame.enter(null);
        try {
            if (thrown != null) {
                super.completeExceptionally(thrown);
            } else {
                super.complete(value);
            }
        } finally {
            frame.leave(outer);
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        abandon();
        return super.cancel(mayInterruptIfRunning);
    }

    @Override
    public boolean complete(T value) {
        abandon();
        return super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable error) {
        abandon();
        return super.completeExceptionally(error);
    }

    /** The caller does not want this call any more, or has completed its future in another way ({@code orTimeout}). */
    private void abandon() {
        Object last = HELD.getAndSet(this, ENDED);
        if (last == ENDED) {
            return;
        }
        if (last instanceof AsyncWait wait) {
            wait.abandon();
        } else if (last instanceof QueuedAttempt queued) {
            queued.abandon();
        } else if (last instanceof CompletionStage<?> stage) {
            LimitedStage.cancel(stage);
        }
        inside(call -> {
            new CallEnd(call.context(), StopReason.CANCELLED, null, null).close();
        });
    }

    /** From now on the call waits for this; {@code false} if it has ended meanwhile. */
    boolean hold(Object next) {
        Object last = held;
        while (last != ENDED && !HELD.compareAndSet(this, last, next)) {
            last = held;
        }
        return last != ENDED;
    }

    /** The call no longer waits for this; {@code false} if somebody else has seen to that. */
    boolean release(Object last) {
        return HELD.compareAndSet(this, last, null);
    }

    boolean holds(Object what) {
        return held == what;
    }

    private boolean hasEnded() {
        return held == ENDED;
    }

    CallSettings retry() {
        return retry;
    }

    private RetryCall context() {
        if (call == null) {
            call = new RetryCall(retry);
        }
        return call;
    }

    /** Makes a step as a part of this call: with its context, and with the thread-locals of its caller. */
    private void inside(Consumer<AsyncRetry<S, T>> step) {
        CallFrame frame = CallFrame.get();
        RetryCall context = context();
        context.about(subject);
        ContextCapture.Scope scope = CapturedContext.restore(retry.engine(), snapshot);
        Object outer = frame.enter(context);
        try {
            step.accept(this);
        } catch (Throwable ex) {
            // A step foresees what can go wrong; if it did not, the caller must still not wait for ever.
            end(null, Objects.requireNonNullElse(lastThrown, ex), call -> {});
        } finally {
            frame.leave(outer);
            CapturedContext.close(retry.engine(), scope);
        }
    }
}
