// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous call. Its steps are an attempt, the decision about the outcome, and the end. Between the steps, the call
 * occupies no thread. The caller has a {@link RetryFuture}.
 */
final class AsyncRetry<S, T extends @Nullable Object> implements BiFunction<T, @Nullable Throwable, @Nullable Object> {

    /** An attempt is running and has not returned its stage yet. */
    private static final Object ATTEMPTING = new Object();

    /** The caller has given up during a step, so the thread of this step must end the call. */
    private static final Object GIVEN_UP = new Object();

    /** The call has ended, and the thread that ended it publishes the end. */
    private static final Object ENDED = new Object();

    /**
     * The object that the call waits for: the stage of an attempt or a recovery, an {@link AsyncWait}, or
     * {@link #ATTEMPTING}; {@code null} while a thread runs a step. Whatever removes this object (the stage, the timer, the
     * executor, shutdown, a caller that gives up) runs the next step, so only one step runs at a time.
     */
    private final AtomicReference<@Nullable Object> waitsFor = new AtomicReference<>();

    private final RetryFuture<T> future = new RetryFuture<>(this);

    private final CallSettings retry;

    private final S subject;

    private final RetryOperation<S, ? extends CompletionStage<T>> operation;

    private final ContextCapture.@Nullable Snapshot snapshot;

    private final @Nullable WeakReference<?> around;

    /** The {@link Extensions} that were running when the call was started, and therefore run it. */
    private final @Nullable Object running;

    private @Nullable RetryCall call;

    private @Nullable T lastValue;

    private @Nullable Throwable lastThrown;

    private Duration delay = Duration.ZERO;

    private AsyncRetry(
            CallSettings retry,
            S subject,
            RetryOperation<S, ? extends CompletionStage<T>> operation,
            ContextCapture.@Nullable Snapshot snapshot,
            @Nullable RetryCall call,
            @Nullable WeakReference<?> around,
            @Nullable Object running) {
        this.retry = retry;
        this.around = around;
        this.running = running;
        this.subject = subject;
        this.operation = operation;
        this.snapshot = snapshot;
        this.call = call;
    }

    /** Runs the first attempt on the caller's thread. Returns the attempt's future if it has already succeeded. */
    static <S, T extends @Nullable Object> CompletableFuture<T> start(
            CallSettings retry, S subject, RetryOperation<S, ? extends CompletionStage<T>> operation) {
        RetryOperation<S, ? extends CompletionStage<T>> attempts = LimitedStage.around(retry, operation);
        ContextCapture.Snapshot snapshot = CapturedContext.capture(retry.engine());
        @Nullable Object[] frame = CallFrame.get();
        CompletionStage<T> stage = null;
        Throwable thrown = null;
        RetryCall inner;
        WeakReference<?> around;
        RetryCall opened = retry.opened(subject);
        Object outer = CallFrame.enter(frame, retry.entered(opened));
        try {
            if (opened != null) {
                opened.resume(subject);
            }
            stage = attempts.run(subject, opened == null ? 1 : opened.attempt());
        } catch (Throwable ex) {
            thrown = ex;
            if (ex instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
        } finally {
            if (opened != null) {
                opened.leaveRetry();
            }
            inner = (RetryCall) CallFrame.known(frame);
            around = CallFrame.around(outer);
            CallFrame.leave(frame, outer);
        }
        if (stage instanceof CompletableFuture<T> future && retry.isUnseen() && LimitedStage.hasSucceeded(future)) {
            retry.countSuccess();
            return future;
        }
        AsyncRetry<S, T> async =
                new AsyncRetry<>(retry, subject, attempts, snapshot, inner, around, CallFrame.running(frame));
        async.waitsFor.set(stage);
        async.follow(stage, thrown);
        return async.future;
    }

    /** Runs a later attempt, and those that follow it immediately, in a loop instead of by recursion. */
    void drive() {
        Trampoline.run(this, () -> inside(AsyncRetry::attempt));
    }

    private void attempt() {
        if (retry.engine().isClosed()) {
            stop(StopReason.SHUTDOWN);
            return;
        }
        if (!waitFor(ATTEMPTING)) {
            return;
        }
        RetryCall context = context();
        CompletionStage<T> stage = null;
        Throwable thrown = null;
        StopReason stop = null;
        try {
            stop = context.start(delay);
            if (stop == null && waitsFor(ATTEMPTING)) {
                stage = operation.run(subject, context.attempt());
            }
        } catch (Throwable ex) {
            thrown = ex;
        }
        context.leaveRetry();
        if (waitsFor.compareAndSet(ATTEMPTING, stage)) {
            if (stop == null) {
                follow(stage, thrown);
            } else {
                stop(stop);
            }
        } else if (stage != null) {
            LimitedStage.cancel(stage, retry);
        }
    }

    private void follow(@Nullable CompletionStage<T> stage, @Nullable Throwable thrown) {
        if (stage == null) {
            settle(
                    null,
                    thrown != null
                            ? thrown
                            : new IllegalStateException(
                                    retry.name() + ": an attempt returned null; it must return a CompletionStage"));
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

    @Override
    public @Nullable Object apply(@Nullable T value, @Nullable Throwable error) {
        Object stage = waitsFor.get();
        if (stage instanceof CompletionStage && release(stage)) {
            settle(value, error);
        }
        return null;
    }

    /** Handles the outcome of an attempt. The future completes even if this method throws an exception. */
    private void settle(@Nullable T value, @Nullable Throwable error) {
        Throwable thrown = error;
        while (thrown instanceof CompletionException && thrown.getCause() != null) {
            thrown = thrown.getCause();
        }
        if (thrown == null && call == null && retry.policy().retryIf() == null) {
            end(value, null, retry::countSuccess);
            return;
        }
        lastValue = value;
        lastThrown = thrown;
        inside(AsyncRetry::decide);
    }

    private void decide() {
        RetryCall context = context();
        if (lastThrown == null && context.accepts(subject, lastValue)) {
            end(lastValue, null, this::publishSuccess);
            return;
        }
        RetryDecision decision = RetryDecision.decide(context, context.failed(lastThrown), lastThrown, false);
        Duration next = decision.delay();
        boolean storable = retry.handover() != null && !context.isResumed();
        if (storable && (next != null || decision.stops(StopReason.SWITCHED_OFF))) {
            Duration wait = next != null ? next : context.backoffDelay();
            new AsyncWait(this, Duration.ZERO, () -> handOver(wait)).start();
            return;
        }
        if (next == null || isGivenUp()) {
            stop(next == null ? decision.stop() : StopReason.CANCELLED);
            return;
        }
        delay = next;
        context.publishRetry(next);
        new AsyncWait(this, next, null).start();
    }

    /** Hands the call over, on a thread that may block. The caller receives an error only if the handover fails. */
    private void handOver(Duration wait) {
        if (retry.handOver(context(), wait, lastThrown)) {
            // A caller that has meanwhile given up does not end the stored call.
            waitsFor.set(ENDED);
            complete(null, null, () -> context().publishRetry(wait));
        } else {
            stop(StopReason.REJECTED);
        }
    }

    private void publishSuccess() {
        if (context().attempt() == 1) {
            retry.countSuccess();
        } else {
            context().publishSuccess();
        }
    }

    /** Handles the rejection of the next attempt by the executor, or of the wait before it by the timer. */
    void refused(Throwable reason) {
        boolean closed = retry.engine().isClosed();
        if (!closed) {
            retry.notWaited(reason, lastThrown);
        }
        end(closed ? StopReason.SHUTDOWN : StopReason.REJECTED);
    }

    /** Ends the call while it waits for the next attempt or for a thread. */
    void end(StopReason reason) {
        inside(call -> call.stop(reason));
    }

    private void stop(StopReason reason) {
        if (isGivenUp()) {
            endGivenUp();
            return;
        }
        CallEnd end = new CallEnd(context(), reason, lastThrown, lastValue, around);
        if (end.isToBeKept() && !retry.engine().isClosed()) {
            new AsyncWait(this, Duration.ZERO, () -> serve(end)).start();
        } else {
            serve(end);
        }
    }

    /** Runs the step that ends the call, on a thread that may block. */
    void finish(Runnable last) {
        inside(call -> last.run());
    }

    private void serve(CallEnd end) {
        end.keep();
        end.recover(retry.recovery());
        if (end.isRecovered() && end.value() instanceof CompletionStage<?> stage) {
            follow(stage, end);
        } else {
            end(end);
        }
    }

    private void follow(CompletionStage<?> stage, CallEnd end) {
        if (!waitFor(stage)) {
            LimitedStage.cancel(stage, retry);
            return;
        }
        try {
            stage.whenComplete((value, error) -> inside(call -> {
                end.recovered(value, error == null ? null : ErrorChain.unwrap(error));
                call.end(end);
            }));
        } catch (Throwable ex) {
            end.recovered(null, ex);
            end(end);
        }
    }

    @SuppressWarnings("unchecked") // as RetryRecovery says
    private void end(CallEnd end) {
        end((T) end.value(), end.thrown(), end::close);
    }

    /** Ends the call. The end is published before the caller can see it. */
    private void end(@Nullable T value, @Nullable Throwable thrown, Runnable publishing) {
        Object last = waitsFor.getAndSet(ENDED);
        if (last == ENDED) {
            return;
        }
        if (last == GIVEN_UP) {
            publishCancelled();
            return;
        }
        complete(value, thrown, publishing);
    }

    private void complete(@Nullable T value, @Nullable Throwable thrown, Runnable publishing) {
        try {
            publishing.run();
            if (call != null) {
                retry.ended(call, value, thrown);
            }
        } catch (Throwable ex) {
            CoreLog.warn(retry.name() + ": the outcome of a call could not be published", ex);
        }
        // Code that depends on the future runs here. It is not part of the call.
        @Nullable Object[] frame = CallFrame.get();
        Object outer = CallFrame.enter(frame, null);
        try {
            future.end(value, thrown);
        } finally {
            CallFrame.leave(frame, outer);
        }
    }

    /**
     * Cancels the call. During a step, the cancellation is only recorded, because the events of the step must precede the
     * end of the call.
     */
    void giveUp() {
        Object last = waitsFor.getAndUpdate(now -> now == null || now == GIVEN_UP ? GIVEN_UP : ENDED);
        if (last == null || last == GIVEN_UP || last == ENDED) {
            return;
        }
        if (last instanceof AsyncWait wait) {
            wait.abandon();
        } else if (last instanceof CompletionStage<?> stage) {
            LimitedStage.cancel(stage, retry);
        }
        publishCancelled();
    }

    private boolean isGivenUp() {
        return waitsFor.get() == GIVEN_UP;
    }

    private void endGivenUp() {
        if (waitsFor.getAndSet(ENDED) == GIVEN_UP) {
            publishCancelled();
        }
    }

    private void publishCancelled() {
        inside(call -> new CallEnd(call.context(), StopReason.CANCELLED, null, null, null).close());
    }

    /** Ends a step. The call then waits for the given object or, if the caller has meanwhile given up, ends. */
    boolean waitFor(Object next) {
        boolean waits = waitsFor.compareAndSet(null, next);
        if (!waits) {
            endGivenUp();
        }
        return waits;
    }

    boolean waitsFor(Object expected) {
        return waitsFor.get() == expected;
    }

    /** Begins a step. Returns {@code false} if another thread has already removed the given object. */
    boolean release(Object last) {
        return waitsFor.compareAndSet(last, null);
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

    /** Runs a step as a part of this call: with its context, and with the thread-locals of its caller. */
    private void inside(Consumer<AsyncRetry<S, T>> step) {
        @Nullable Object[] frame = CallFrame.get();
        RetryCall context = context();
        context.about(subject);
        ContextCapture.Scope scope = CapturedContext.restore(retry.engine(), snapshot);
        Object outer = CallFrame.enter(frame, context);
        Object others = CallFrame.running(frame);
        CallFrame.running(frame, running);
        try {
            step.accept(this);
        } catch (Throwable ex) {
            // Steps handle their exceptions. If an exception is missed, the caller must not wait forever.
            end(null, Objects.requireNonNullElse(lastThrown, ex), () -> {});
        } finally {
            CallFrame.running(frame, others);
            CallFrame.leave(frame, outer);
            if (scope != null) {
                scope.close();
            }
        }
    }
}
