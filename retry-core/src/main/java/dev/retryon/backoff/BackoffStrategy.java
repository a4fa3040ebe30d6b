// SPDX-License-Identifier: Apache-2.0
package dev.retryon.backoff;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Computes the delay before a retry. The maximum delay and the jitter are applied later.
 *
 * <p>All calls of a method share a strategy, so implementations must be thread-safe. If a strategy throws an exception,
 * or returns {@code null} or a negative duration, the base delay is used instead, and one warning per retried method is
 * logged.
 *
 * <p>If a strategy depends on the call, for example on its error or its arguments, it reads
 * {@code RetryContext.current()} and overrides {@link #dependsOnCall()}.
 *
 * @see Backoff the built-in strategies
 * @since 0.1.0
 */
@FunctionalInterface
public interface BackoffStrategy {

    /**
     * Returns the delay before a retry.
     *
     * @param retry the number of the retry, from 1: retry 1 follows attempt 1
     * @param base the policy's {@code delay}
     * @param previous the actual delay before the previous retry, even if this strategy did not choose it; {@code
     *     null} for retry 1
     * @return the delay; zero means no delay or jitter
     */
    Duration delay(int retry, Duration base, @Nullable Duration previous);

    /** {@return whether the delays depend on the call and cannot be listed in advance; {@code false} by default} */
    default boolean dependsOnCall() {
        return false;
    }
}
