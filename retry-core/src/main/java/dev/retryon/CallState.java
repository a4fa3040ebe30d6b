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
 * <p>A driver that hands a call over takes it from {@link RetryCall#state()} after {@link RetryDecision#decide} has decided on
 * a retry, and stores it with the key and the arguments of the {@link CallSubject} and the moment of the retry. Whoever makes
 * that retry goes on with {@link RetryCall#restore}.
 *
 * @param callId the id of the call
 * @param attempt the number of the attempt that failed last, from 1
 * @param lastDelay what was waited before that attempt; {@code null} before the first retry
 * @param startedAt when the call began
 * @param past the attempts before that one, the oldest first
 * @param error what that attempt threw; {@code null} if it returned a value that is to be retried
 */
record CallState(
        String callId,
        int attempt,
        @Nullable Duration lastDelay,
        Instant startedAt,
        List<Failed> past,
        @Nullable ErrorText error) {

    CallState {
        if (attempt < 1) {
            throw new IllegalArgumentException("attempt is '" + attempt + "', but must be at least 1");
        }
        past = List.copyOf(past);
    }

    /**
     * An attempt that failed and was followed by another one.
     *
     * @param number the attempt's number, from 1
     * @param error what it threw; {@code null} if it returned a value that was to be retried, or is no longer kept
     * @param delay what was waited after it
     */
    record Failed(int number, @Nullable ErrorText error, Duration delay) {}
}
