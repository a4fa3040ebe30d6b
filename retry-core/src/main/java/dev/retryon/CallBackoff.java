/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import dev.retryon.backoff.BackoffStrategy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A backoff strategy that chooses by the call: by its error, its arguments, its target. The waits of a policy with such a
 * strategy can't be listed beforehand, see {@link RetryPolicy#dependsOnCall()}.
 *
 * @since 0.1.0
 */
public interface CallBackoff extends BackoffStrategy {

    /**
     * Returns the delay before a retry, before cap and jitter are applied to it.
     *
     * @param retry the retry's number, from 1: retry 1 follows attempt 1
     * @param base the policy's {@code delay}
     * @param previous the delay before the previous retry of this call, also if this strategy did not choose it; {@code null}
     *     before retry 1
     * @param call the call that is to be retried
     * @return the delay; zero means that the retry follows immediately and that no jitter is added
     */
    Duration delay(int retry, Duration base, @Nullable Duration previous, RetryContext call);

    /**
     * Returns the base delay: without a call there is nothing to choose by.
     *
     * @param retry the retry's number, from 1
     * @param base the policy's {@code delay}
     * @param previous what was really waited before the previous retry, {@code null} before retry 1
     * @return {@code base}
     */
    @Override
    default Duration delay(int retry, Duration base, @Nullable Duration previous) {
        return base;
    }
}
