package dev.retryon;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Calls that stay on their caller's thread, which also waits: what follows a first attempt that failed. */
final class BlockingRetry {

    private BlockingRetry() {}

    /** The loop, entered after an attempt that threw, or that returned a value which is to be retried. */
    static <S, T extends @Nullable Object, X extends Throwable> @Nullable T retry(
            Retry retry,
            CallFrame frame,
            S subject,
            RetryOperation<S, T> operation,
            @Nullable T firstValue,
            @Nullable Throwable firstThrown)
            throws X {
        @Nullable T value = firstValue;
        Throwable thrown = firstThrown;
        RetryCall call = frame.call();
        call.about(subject);
        while (true) {
            boolean interrupted = Thread.currentThread().isInterrupted();
            RetryDecision decision = RetryDecision.decide(call, call.failed(thrown), thrown, interrupted);
            Duration delay = decision.delay();
            if (delay == null) {
                return BlockingRetry.<T, X>stop(call, value, thrown, decision.stop(), decision.directive());
            }
            call.publishRetry(delay);
            StopReason stop = await(retry, delay);
            if (stop != null) {
                return BlockingRetry.<T, X>stop(call, value, thrown, stop, null);
            }
            call.next(delay);
            frame.current = call;
            try {
                value = operation.run(subject, call.attempt());
                thrown = null;
                if (call.accepts(subject, value)) {
                    call.publishSuccess();
                    return value;
                }
            } catch (Throwable ex) {
                value = null;
                thrown = ex;
            }
        }
    }

    /** Waits; answers why the call has to stop instead of going on, if it has to. */
    private static @Nullable StopReason await(Retry retry, Duration delay) {
        try {
            if (!delay.isZero()) {
                retry.countWaiting(1);
                try {
                    retry.engine().sleeper().sleep(delay);
                } finally {
                    retry.countWaiting(-1);
                }
            }
        } catch (InterruptedException ex) {
            return StopReason.INTERRUPTED;
        }
        if (Thread.currentThread().isInterrupted()) {
            return StopReason.INTERRUPTED;
        }
        return retry.engine().isClosed() ? StopReason.SHUTDOWN : null;
    }

    /** The end of a call that failed: it throws, or returns the last value or the recovery's. */
    @SuppressWarnings("unchecked")
    private static <T extends @Nullable Object, X extends Throwable> @Nullable T stop(
            RetryCall call,
            @Nullable T lastValue,
            @Nullable Throwable thrown,
            StopReason reason,
            @Nullable RetryDirective directive)
            throws X {
        if (reason == StopReason.INTERRUPTED) {
            Thread.currentThread().interrupt();
        }
        call.stopped(thrown, reason, directive);
        @Nullable T value = lastValue;
        Throwable out = thrown;
        if (thrown != null && call.isRecoverable()) {
            try {
                value = (T) call.recover(thrown);
                out = null;
            } catch (Throwable ex) {
                out = call.afterRecovery(ex, thrown);
            }
        }
        call.publishFailure(thrown != null && out == null);
        if (out != null) {
            throw (X) out;
        }
        return value;
    }
}
