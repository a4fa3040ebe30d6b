/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A call that stays on its caller's thread, which also waits: what follows a first attempt that failed. What comes of it is
 * left here for the caller to throw, because a throw out of a method that was not inlined costs some 100 ns.
 */
final class BlockingRetry<S, T extends @Nullable Object> {

    private final RetryCall call;

    private final S subject;

    private RetryOperation<S, T> operation;

    private @Nullable T value;

    private @Nullable Throwable thrown;

    BlockingRetry(RetryCall call, S subject, RetryOperation<S, T> operation) {
        this.call = call;
        this.subject = subject;
        this.operation = operation;
        call.about(subject);
    }

    /** What the call ends with. */
    @SuppressWarnings("unchecked")
    <X extends Throwable> @Nullable T result() throws X {
        if (thrown != null) {
            throw (X) thrown;
        }
        return value;
    }

    /**
     * Goes on after a first attempt that threw, or that returned a value which is to be retried.
     *
     * @param outer what {@link CallFrame#enter} has returned
     */
    void goOn(
            @Nullable Object[] frame, @Nullable Object outer, @Nullable T firstValue, @Nullable Throwable firstThrown) {
        value = firstValue;
        thrown = firstThrown;
        try {
            loop(frame, outer);
        } finally {
            if (call.attempt() > 1 && operation instanceof InterceptedCalls.Operation<S, T> prepared) {
                prepared.end();
            }
        }
    }

    private void loop(@Nullable Object[] frame, @Nullable Object outer) {
        boolean limited = call.policy().attemptTimeout() != null;
        while (true) {
            boolean interrupted = Thread.currentThread().isInterrupted();
            RetryDecision decision = RetryDecision.decide(call, call.failed(thrown), thrown, interrupted);
            Duration delay = decision.delay();
            CallHandover handover = call.settings().handover();
            if (handover != null && goesOnElsewhere(decision)) {
                // Whoever stores the call must not be interrupted.
                boolean flag = Thread.interrupted();
                Duration wait = call.settings().backoffDelay(call);
                StopReason spent = decision.stops(StopReason.INTERRUPTED) ? RetryDecision.spent(call, wait) : null;
                if (spent == null) {
                    handOver(handover, wait, frame, outer);
                } else {
                    stop(spent, frame, outer);
                }
                if (flag || decision.stops(StopReason.INTERRUPTED)) {
                    Thread.currentThread().interrupt();
                }
                return;
            }
            if (delay == null) {
                stop(decision.stop(), frame, outer);
                return;
            }
            if (handover != null) {
                handOver(handover, delay, frame, outer);
                return;
            }
            call.publishRetry(delay);
            StopReason stop = await(delay);
            if (stop != null) {
                stop(stop, frame, outer);
                return;
            }
            if (call.attempt() == 1 && operation instanceof InterceptedCalls.Operation<S, T> prepared) {
                operation = prepared.retries(subject, call.maxAttempts());
            }
            call.next(delay);
            CallFrame.become(frame, call);
            try {
                value = limited
                        ? AttemptLimit.run(call.settings(), operation, subject, call.attempt())
                        : operation.run(subject, call.attempt());
                thrown = null;
                if (call.accepts(subject, value)) {
                    call.publishSuccess();
                    return;
                }
            } catch (Throwable ex) {
                value = null;
                thrown = ex;
            }
        }
    }

    /** Whether a call whose retries are stored is stored again though it stops here: the process ends, or all retries were ended. */
    private boolean goesOnElsewhere(RetryDecision decision) {
        return decision.stops(StopReason.SWITCHED_OFF) || (call.isResumed() && decision.stops(StopReason.INTERRUPTED));
    }

    /** Gives the call away. The caller gets no error, unless that fails. */
    private void handOver(CallHandover handover, Duration delay, @Nullable Object[] frame, @Nullable Object outer) {
        try {
            handover.take(Objects.requireNonNull(call.subject()), call.state(), delay);
        } catch (Throwable ex) {
            call.settings().notHandedOver(ex, thrown);
            stop(StopReason.REJECTED, frame, outer);
            return;
        }
        call.publishRetry(delay);
        value = null;
        thrown = null;
    }

    /** Waits. Returns why the call has to stop then, or {@code null} if it goes on. */
    private @Nullable StopReason await(Duration delay) {
        CallSettings settings = call.settings();
        try {
            if (!delay.isZero()) {
                settings.countWaiting(1);
                try {
                    settings.engine().sleep(delay, settings.retrySwitch());
                } finally {
                    settings.countWaiting(-1);
                }
            }
        } catch (InterruptedException ex) {
            return StopReason.INTERRUPTED;
        } catch (Throwable ex) {
            settings.notWaited(ex, thrown);
            return StopReason.REJECTED;
        }
        if (Thread.currentThread().isInterrupted()) {
            return StopReason.INTERRUPTED;
        }
        if (settings.engine().isClosed()) {
            return StopReason.SHUTDOWN;
        }
        return settings.isSwitchedOff() ? StopReason.SWITCHED_OFF : null;
    }

    /** Ends the call in failure: what it ends with is the error, the last value or what the recovery gives. */
    @SuppressWarnings("unchecked") // as RetryRecovery says
    private void stop(StopReason reason, @Nullable Object[] frame, @Nullable Object outer) {
        if (reason == StopReason.INTERRUPTED) {
            Thread.currentThread().interrupt();
        }
        CallEnd end = new CallEnd(call, reason, thrown, value, CallFrame.around(frame, outer));
        end.keep();
        end.recover();
        value = (T) end.value();
        thrown = end.thrown();
        end.close();
    }
}
