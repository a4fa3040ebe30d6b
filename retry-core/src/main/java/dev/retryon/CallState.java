// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a failed call, which is stored to let another thread or process continue the call. It consists of plain
 * values, without the exception or the arguments.
 *
 * @param callId the id of the call
 * @param attempt the number of the last failed attempt, from 1; 0 before the first attempt
 * @param lastDelay the delay before the last failed attempt; {@code null} before the first retry
 * @param startedAt when the call started
 * @param past the earlier attempts that are kept, oldest first
 * @param error the error of the last failed attempt; {@code null} if it returned a value that must be retried
 * @param failedAt the time of the last failure; {@code null} if unknown
 * @param firstFailedAt the time of the first failure; {@code null} if no attempt has failed yet, or if unknown
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
     * @param lastDelay the delay before the last failed attempt, or {@code null}
     * @param startedAt when the call started
     * @param past the earlier attempts, which are copied
     * @param error the error of the last failed attempt, or {@code null}
     * @param failedAt the time of the last failure, or {@code null}
     * @param firstFailedAt the time of the first failure, or {@code null}
     * @throws IllegalArgumentException if the number of the attempt is negative
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
     * @param error the error of the attempt; {@code null} if the attempt returned a value to retry, or if the error
     *     is no longer kept
     * @param delay the delay after the attempt
     * @param failedAt when the attempt failed; {@code null} if unknown
     */
    public record Failed(
            int number,
            @Nullable ErrorText error,
            Duration delay,
            @Nullable Instant failedAt) {}
}
