/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What has to be stored of a call that failed, so that another thread or another process can go on with it. Plain values:
 * it holds neither the error nor the arguments.
 *
 * @param callId the id of the call
 * @param attempt the number of the attempt that failed last, from 1; 0 if none has been made yet
 * @param lastDelay what was waited before that attempt; {@code null} before the first retry
 * @param startedAt when the call began
 * @param past the attempts before that one, as far as they are kept, the oldest first
 * @param error what that attempt threw; {@code null} if it returned a value that is to be retried
 * @param failedAt when that attempt failed; {@code null} if it is not known
 * @since 0.1.0
 */
public record CallState(
        String callId,
        int attempt,
        @Nullable Duration lastDelay,
        Instant startedAt,
        List<Failed> past,
        @Nullable ErrorText error,
        @Nullable Instant failedAt) {

    /**
     * Describes a stored call.
     *
     * @param callId the id of the call
     * @param attempt the number of the attempt that failed last, at least 0
     * @param lastDelay what was waited before that attempt, or {@code null}
     * @param startedAt when the call began
     * @param past the attempts before that one; copied
     * @param error what that attempt threw, or {@code null}
     * @param failedAt when that attempt failed, or {@code null}
     * @throws IllegalArgumentException if the attempt is negative
     */
    public CallState {
        if (attempt < 0) {
            throw new IllegalArgumentException("attempt is '" + attempt + "', but must not be negative");
        }
        past = List.copyOf(past);
    }

    /**
     * A call of which no attempt has been made.
     *
     * @param callId the id of the call
     * @param startedAt when it was asked for
     * @return its state
     */
    public static CallState first(String callId, Instant startedAt) {
        return new CallState(callId, 0, null, startedAt, List.of(), null, null);
    }

    /**
     * An attempt that failed and was followed by another one.
     *
     * @param number the attempt's number, from 1
     * @param error what it threw; {@code null} if it returned a value that was to be retried, or is no longer kept
     * @param delay what was waited after it
     * @param failedAt when it failed; {@code null} if it is not known
     */
    public record Failed(
            int number,
            @Nullable ErrorText error,
            Duration delay,
            @Nullable Instant failedAt) {}
}
