// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a failed call, which is stored so that another thread or process can continue it. It consists of plain
 * values, without the exception and the arguments.
 *
 * @param callId the id of the call
 * @param attempt the number of the last failed attempt, from 1; 0 before the first attempt
 * @param lastDelay the delay before that attempt; {@code null} before the first retry
 * @param startedAt when the call started
 * @param past the attempts before that one that are kept, oldest first
 * @param error the error of that attempt; {@code null} if it returned a value that is to be retried
 * @param failedAt when that attempt failed; {@code null} if unknown
 * @param firstFailedAt when the first attempt failed; {@code null} if none has failed yet, or if unknown
 * @since 0.1.0
 */
public record CallState(
        String callId,
        int attempt,
        @Nullable Duration lastDelay,
        Instant startedAt,
        List<Failed> past,
        @Nullable ErrorText error,
        @Nullable Instant failedAt,
        @Nullable Instant firstFailedAt) {

    /**
     * Creates a state.
     *
     * @param callId the id of the call
     * @param attempt the number of the last failed attempt, at least 0
     * @param lastDelay the delay before that attempt, or {@code null}
     * @param startedAt when the call started
     * @param past the attempts before that one; copied
     * @param error the error of that attempt, or {@code null}
     * @param failedAt when that attempt failed, or {@code null}
     * @param firstFailedAt when the first attempt failed, or {@code null}
     * @throws IllegalArgumentException if the attempt is negative
     */
    public CallState {
        if (attempt < 0) {
            throw new IllegalArgumentException("attempt is '" + attempt + "', but must not be negative");
        }
        past = List.copyOf(past);
    }

    /**
     * {@return the state of a call without attempts}
     *
     * @param callId the id of the call
     * @param startedAt when the call was requested
     */
    public static CallState first(String callId, Instant startedAt) {
        return new CallState(callId, 0, null, startedAt, List.of(), null, null, null);
    }

    /**
     * A failed attempt that was followed by another one.
     *
     * @param number the number of the attempt, from 1
     * @param error its error; {@code null} if it returned a value that was to be retried, or if the error is no
     *     longer kept
     * @param delay the delay after it
     * @param failedAt when it failed; {@code null} if unknown
     */
    public record Failed(
            int number,
            @Nullable ErrorText error,
            Duration delay,
            @Nullable Instant failedAt) {}
}
