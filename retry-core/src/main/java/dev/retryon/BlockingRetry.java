// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The retries of a blocking call, after the first attempt has failed. Stores the outcome for the caller to throw, because
 * throwing in a method that is not inlined costs about 100 ns.
 */
final class BlockingRetry<S, T extends @Nullable Object> {

    private final RetryCall call;

    private final S subject;

    private final @Nullable RetryRecovery<Object, ?> recovery;

    private final RetryOperation<S, T> operation;

    private @Nullable T value;

    private @Nullable Throwable thrown;

    /** @param recovery the recovery of this call; {@code null} for the recovery in the settings */
    BlockingRetry(
            RetryCall call,
            S subject,
            RetryOperation<S, T> operation,
            @Nullable BiFunction<? super Throwable, ? super RetryContext, ? extends T> recovery) {
        this.call = call;
        this.subject = subject;
        this.recovery =
                recovery == null ? call.settings().recovery() : (any, error, context) -> recovery.apply(error, context);
        this.operation = operation;
        call.about(subject);
    }

    @SuppressWarnings("unchecked")
    <X extends Throwable> @Nullable T result() throws X {
        if (thrown != null) {
            throw (X) thrown;
        }
        return value;
    }

    /**
     * Continues after a first attempt that threw, or that returned a value to retry.
     *
     * @param outer the value that {@link CallFrame#enter} returned
     */
    void goOn(
            @Nullable Object[] frame, @Nullable Object outer, @Nullable T firstValue, @Nullable Throwable firstThrown) {
        value = firstValue;
        thrown = firstThrown;
        while (true) {
            boolean interrupted = Thread.currentThread().isInterrupted();
            RetryDecision decision = RetryDecision.decide(call, call.failed(thrown), thrown, interrupted);
            Duration delay = decision.delay();
            boolean handsOver = call.settings().handover() != null;
            if (handsOver && goesOnElsewhere(decision)) {
                // Storing the call must not be interrupted.
                boolean flag = Thread.interrupted();
                Duration wait = call.backoffDelay();
                StopReason spent = decision.stops(StopReason.INTERRUPTED) ? RetryDecision.spent(call, wait) : null;
                if (spent == null) {
                    handOver(wait, outer);
                } else {
                    stop(spent, outer);
                }
                if (flag || decision.stops(StopReason.INTERRUPTED)) {
                    Thread.currentThread().interrupt();
                }
                return;
            }
            if (delay == null) {
                stop(decision.stop(), outer);
                return;
            }
            if (handsOver) {
                handOver(delay, outer);
                return;
            }
            call.publishRetry(delay);
            StopReason stop = await(delay);
            if (stop == null) {
                CallFrame.become(frame, call);
                stop = attempt(delay);
            }
            if (stop != null) {
                stop(stop, outer);
                return;
            }
            if (thrown == null && call.accepts(subject, value)) {
                call.publishSuccess();
                return;
            }
        }
    }

    /**
     * Runs the next attempt and stores its outcome. Returns the reason if the attempt did not run, or {@code null} if it
     * ran.
     */
    private @Nullable StopReason attempt(Duration delay) {
        try {
            StopReason stop = call.start(delay);
            if (stop == null) {
                value = AttemptLimit.run(call.settings(), operation, subject, call.attempt());
                thrown = null;
            }
            return stop;
        } catch (Throwable ex) {
            value = null;
            thrown = ex;
            return null;
        } finally {
            call.leaveRetry();
        }
    }

    /** Returns whether a stored call is stored again although it stops here, because of an interrupt or a switch. */
    private boolean goesOnElsewhere(RetryDecision decision) {
        return decision.stops(StopReason.SWITCHED_OFF) || (call.isResumed() && decision.stops(StopReason.INTERRUPTED));
    }

    /** Hands the call over. The caller receives an error only if the handover fails. */
    private void handOver(Duration delay, @Nullable Object outer) {
        if (!call.settings().handOver(call, delay, thrown)) {
            stop(StopReason.REJECTED, outer);
            return;
        }
        call.publishRetry(delay);
        value = null;
        thrown = null;
    }

    /** Waits before a retry. Returns the reason if the call must stop, or {@code null} if it continues. */
    private @Nullable StopReason await(Duration delay) {
        CallSettings settings = call.settings();
        try {
            if (!delay.isZero()) {
                settings.waiting().increment();
                try {
                    settings.engine().sleep(delay, settings.retrySwitch());
                } finally {
                    settings.waiting().decrement();
                }
            }
        } catch (InterruptedException ex) {
            return StopReason.INTERRUPTED;
        } catch (Throwable ex) {
            settings.notWaited(ex, thrown);
            return StopReason.REJECTED;
        }
        return Thread.currentThread().isInterrupted() ? StopReason.INTERRUPTED : settings.halted();
    }

    /** Ends a failed call with the error, the last value or the result of the recovery. */
    @SuppressWarnings("unchecked") // as RetryRecovery says
    private void stop(StopReason reason, @Nullable Object outer) {
        if (reason == StopReason.INTERRUPTED) {
            Thread.currentThread().interrupt();
        }
        CallEnd end = new CallEnd(call, reason, thrown, value, CallFrame.around(outer));
        end.keep();
        end.recover(recovery);
        value = (T) end.value();
        thrown = end.thrown();
        end.close();
    }
}
