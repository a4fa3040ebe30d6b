// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The start of an attempt after the first one: the attempt is counted, its context is set, and {@link BeforeRetry} runs.
 * The caller ends the attempt with {@link RetryCall#leaveRetry}.
 */
final class RetryStart {

    private RetryStart() {}

    /**
     * Starts the next attempt of a running call.
     *
     * @param delay the delay that has passed
     * @return the reason why the attempt must not run after all, and is therefore not counted; {@code null} if it can run
     * @throws Throwable the error of {@link BeforeRetry}, which is the error of this attempt and ends the call
     */
    static <S> @Nullable StopReason begin(RetryCall call, S subject, Duration delay) throws Throwable {
        Duration previous = call.previousDelay();
        call.next(delay);
        call.enterRetry();
        if (call.settings().beforeRetry() == null) {
            return null;
        }
        prepare(call, subject);
        StopReason reason = obstacle(call);
        if (reason != null) {
            call.back(previous);
        }
        return reason;
    }

    /** Starts the attempt of a resumed call, which is already counted. Throws the same exceptions as {@link #begin}. */
    static <S> void resume(RetryCall call, S subject) throws Throwable {
        if (call.attempt() == 1) {
            return;
        }
        call.enterRetry();
        if (call.settings().beforeRetry() != null) {
            call.about(subject);
            prepare(call, subject);
        }
    }

    @SuppressWarnings("NullAway") // the subject is null only where its type admits it
    private static void prepare(RetryCall call, @Nullable Object subject) throws Throwable {
        BeforeRetry<Object> beforeRetry = call.settings().beforeRetry();
        try {
            Extensions.run(beforeRetry, () -> beforeRetry.run(subject, call));
        } catch (Throwable ex) {
            Throwable last = call.lastError();
            if (last != null) {
                Suppression.add(ex, last);
            }
            call.stopped(StopReason.NOT_RETRYABLE);
            throw ex;
        }
    }

    /** Returns the reason if the attempt has become impossible while {@link BeforeRetry} ran, or otherwise {@code null}. */
    private static @Nullable StopReason obstacle(RetryCall call) {
        StopReason halted = call.settings().halted();
        return halted == null && RetryDecision.isTooLate(call, Duration.ZERO) ? StopReason.TIMEOUT : halted;
    }
}
