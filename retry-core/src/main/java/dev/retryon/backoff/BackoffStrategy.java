// SPDX-License-Identifier: Apache-2.0
package dev.retryon.backoff;

import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Computes the delay before a retry. The cap and the jitter are applied afterwards.
 *
 * <p>All calls of a method share a strategy, so implementations must be thread-safe. If a strategy throws or returns
 * {@code null} or a negative duration, the base delay is used instead, and one warning per retried method is logged.
 *
 * @see Backoff the built-in strategies
 * @see BackoffRegistry
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
     * @return the delay; zero means no delay and no jitter
     */
    Duration delay(int retry, Duration base, @Nullable Duration previous);

    /**
     * {@return the delay before a retry, for strategies with random delays} The default ignores the source of random
     * numbers.
     *
     * @param retry the number of the retry, from 1
     * @param base the policy's {@code delay}
     * @param previous the actual delay before the previous retry; {@code null} for retry 1
     * @param random the source of random numbers
     */
    default Duration delay(int retry, Duration base, @Nullable Duration previous, RandomGenerator random) {
        return delay(retry, base, previous);
    }
}
