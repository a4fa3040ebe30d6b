// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.backoff.BackoffStrategy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A backoff strategy that depends on the call: on its error, its arguments or its target. The delays of such a policy
 * can't be listed in advance, see {@link RetryPolicy#dependsOnCall()}.
 *
 * @since 0.1.0
 */
public interface CallBackoff extends BackoffStrategy {

    /**
     * Returns the delay before a retry, before the cap and the jitter are applied.
     *
     * @param retry the number of the retry, from 1: retry 1 follows attempt 1
     * @param base the policy's {@code delay}
     * @param previous the actual delay before the previous retry, even if this strategy did not choose it; {@code
     *     null} for retry 1
     * @param call the context of the call
     * @return the delay; zero means no delay and no jitter
     */
    Duration delay(int retry, Duration base, @Nullable Duration previous, RetryContext call);

    /**
     * {@return the base delay, because there is no call to depend on}
     *
     * @param retry the number of the retry, from 1
     * @param base the policy's {@code delay}
     * @param previous the actual delay before the previous retry; {@code null} for retry 1
     */
    @Override
    default Duration delay(int retry, Duration base, @Nullable Duration previous) {
        return base;
    }
}
