/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Takes part in the decision about every retry of an engine, after the policy's own lists and attempts and before its gates. Several are
 * asked in order; one no is enough, and the first delay that is not zero wins. Both methods have defaults that leave
 * everything to the policy. Implementations must be thread-safe.
 *
 * <p>A decider that throws ends the call with {@link StopReason#REJECTED}: the caller gets the original error, the
 * decider's is suppressed in it.
 *
 * @since 0.1.0
 */
public interface RetryDecider {

    /**
     * Whether the call may be retried.
     *
     * @param context the call; {@link RetryContext#attempt()} is the attempt that failed
     * @param error the error, unwrapped; {@code null} if a returned value is to be retried
     * @return {@code true} (the default) to go on, {@code false} to end the call with {@link StopReason#REJECTED}
     */
    default boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
        return true;
    }

    /**
     * How long to wait before the next attempt.
     *
     * @param context the call; {@link RetryContext#attempt()} is the attempt that failed
     * @param error the error, unwrapped; {@code null} if a returned value is to be retried
     * @return the delay, without jitter, at most the policy's {@code maxDelay}; zero (the default) or a negative
     *     duration to leave it to the error's own wish and the policy
     */
    default Duration delay(RetryContext context, @Nullable Throwable error) {
        return Duration.ZERO;
    }
}
