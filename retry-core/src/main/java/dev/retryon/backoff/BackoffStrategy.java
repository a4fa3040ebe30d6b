/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.backoff;

import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the delay before a retry, before cap and jitter are applied to it.
 *
 * <p>Implementations are shared by all calls of a method and must be thread-safe. A strategy that returns
 * {@code null} or a negative duration, or throws, does not end the call: the base delay is used instead and one warning
 * per retried method is logged.
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
     * @param retry the retry's number, from 1: retry 1 follows attempt 1
     * @param base the policy's {@code delay}
     * @param previous the delay before the previous retry of this call, also if this strategy did not choose it; {@code null}
     *     before retry 1
     * @return the delay; zero means that the retry follows immediately and that no jitter is added
     */
    Duration delay(int retry, Duration base, @Nullable Duration previous);

    /**
     * Returns the delay before a retry, for strategies that draw at random. By default the random source is ignored.
     *
     * @param retry the retry's number, from 1
     * @param base the policy's {@code delay}
     * @param previous what was really waited before the previous retry, {@code null} before retry 1
     * @param random the source of chance
     * @return the delay
     */
    default Duration delay(int retry, Duration base, @Nullable Duration previous, RandomGenerator random) {
        return delay(retry, base, previous);
    }
}
