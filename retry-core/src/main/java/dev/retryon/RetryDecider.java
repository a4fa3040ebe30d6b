// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Takes part in the decision about every retry of an engine. Deciders run after the policy has accepted the error and
 * the number of attempts, and before its gates. If an engine has several, they run in order: the first one that
 * rejects ends the call, and the first delay that is not zero is used. Implementations must be thread-safe.
 *
 * <pre>{@code
 * class OpenHours implements RetryDecider {
 *     @Override
 *     public boolean shouldRetry(RetryContext context, Throwable error) {
 *         return partner.isOpen();
 *     }
 * }
 * }</pre>
 *
 * <p>A decider can run retried calls. It is not asked about the calls that it starts on its thread.
 *
 * <p>A decider that throws ends the call with {@link StopReason#REJECTED}. The caller receives the original error,
 * and the exception of the decider is suppressed in it.
 *
 * @since 0.1.0
 */
public interface RetryDecider {

    /**
     * Returns whether the call may be retried.
     *
     * @param context the context; {@link RetryContext#attempt()} is the failed attempt
     * @param error the error, unwrapped; {@code null} if a returned value is to be retried
     * @return {@code true} (the default) to continue, {@code false} to end the call with {@link StopReason#REJECTED}
     */
    default boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
        return true;
    }

    /**
     * Returns the delay before the next attempt.
     *
     * @param context the context; {@link RetryContext#attempt()} is the failed attempt
     * @param error the error, unwrapped; {@code null} if a returned value is to be retried
     * @return the delay, used without jitter and at most the policy's {@code maxDelay}; zero (the default) or a
     *     negative duration to use the delay of the error or the policy
     */
    default Duration delay(RetryContext context, @Nullable Throwable error) {
        return Duration.ZERO;
    }
}
