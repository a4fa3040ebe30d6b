// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Participates in the decision about every retry of an engine. Deciders run after the policy has accepted the error and
 * the number of attempts, and before the policy's gates. If an engine has several deciders, they run in the order in
 * which they were added. The first decider that rejects a retry ends the call, and the first delay that is not zero is
 * used. Implementations must be thread-safe.
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
 * <p>A decider can run retried calls. The engine does not ask a decider about calls that the decider starts on its
 * own thread.
 *
 * <p>If a decider throws an exception, the call ends with {@link StopReason#REJECTED}. The caller receives the
 * original error, in which the exception of the decider is suppressed.
 *
 * @since 0.1.0
 */
public interface RetryDecider {

    /**
     * Returns whether the call may be retried.
     *
     * @param context the context; {@link RetryContext#attempt()} is the failed attempt
     * @param error the error, unwrapped; {@code null} if the attempt returned a value to retry
     * @return {@code true} (the default) to continue, {@code false} to end the call with {@link StopReason#REJECTED}
     */
    default boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
        return true;
    }

    /**
     * Returns the delay before the next attempt.
     *
     * @param context the context; {@link RetryContext#attempt()} is the failed attempt
     * @param error the error, unwrapped; {@code null} if the attempt returned a value to retry
     * @return the delay, which is used without jitter and limited to the policy's {@code maxDelay}. If this delay is
     *     zero (the default) or negative, the delay of the error or the policy is used
     */
    default Duration delay(RetryContext context, @Nullable Throwable error) {
        return Duration.ZERO;
    }
}
