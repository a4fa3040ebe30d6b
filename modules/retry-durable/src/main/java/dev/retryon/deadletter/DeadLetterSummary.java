// SPDX-License-Identifier: Apache-2.0
package dev.retryon.deadletter;

import dev.retryon.ErrorText;
import dev.retryon.StopReason;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter in a list. It has no arguments, stack trace, failures or actions, so that a page of large letters needs little
 * memory. {@link dev.retryon.durable.DeadLetters#find} returns the whole letter. Plain values; immutable.
 *
 * @param id the id of the call
 * @param name the name of the method, as in events and meters
 * @param errorCode the code of the last error; {@code null} if there was none
 * @param errorType the class of the last error; {@code null} if the last attempt returned a value that had to be retried
 * @param errorMessage the message of the last error, {@value ErrorText#LONGEST} characters or a few more; or {@code null}
 * @param attempts the number of attempts since the call was last sent
 * @param reason why the call was not, or no longer, retried
 * @param firstFailedAt when an attempt first failed
 * @param diedAt when the call failed permanently; for the last time if it was resent
 * @param status the status
 * @param traceId the trace of the last attempt; {@code null} if there was none
 * @since 0.1.0
 */
public record DeadLetterSummary(
        String id,
        String name,
        @Nullable String errorCode,
        @Nullable String errorType,
        @Nullable String errorMessage,
        int attempts,
        StopReason reason,
        Instant firstFailedAt,
        Instant diedAt,
        DeadLetterStatus status,
        @Nullable String traceId) {

    /**
     * Summarizes a dead letter.
     *
     * @param letter the whole letter
     * @return its summary
     */
    public static DeadLetterSummary of(DeadLetter letter) {
        return new DeadLetterSummary(
                letter.id(),
                letter.name(),
                letter.errorCode(),
                letter.errorType(),
                letter.errorMessage(),
                letter.attempts(),
                letter.reason(),
                letter.firstFailedAt(),
                letter.diedAt(),
                letter.status(),
                letter.traceId());
    }

    /** Names the call and its error, without the message, which may hold secrets. */
    @Override
    public String toString() {
        return "DeadLetterSummary[" + id + " " + name + " " + status + " since " + diedAt + ": "
                + (errorType == null ? "a returned value" : errorType) + "]";
    }
}
