// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Implemented by exceptions that influence their own retry. The engine asks the error first and then its causes, and
 * uses the first answer. A method that throws is treated as if it returned {@code null}.
 *
 * <pre>{@code
 * class QuotaException extends RuntimeException implements RetryHint {
 *     @Override
 *     public Duration retryAfter() {
 *         return Duration.ofSeconds(30);
 *     }
 * }
 * }</pre>
 *
 * @since 0.1.0
 */
public interface RetryHint {

    /** {@return the directive of this error, or {@code null} (the default) to apply the policy} */
    default @Nullable RetryDirective directive() {
        return null;
    }

    /**
     * Returns the delay before the next attempt, which is used without jitter. If it is longer than the policy's
     * {@code maxDelay}, the call ends with {@link StopReason#DELAY_TOO_LONG}, unless the call is durable. The longest
     * delay is one hundred years.
     *
     * @return the delay; zero means no delay; {@code null} (the default) or a negative duration means no hint
     */
    default @Nullable Duration retryAfter() {
        return null;
    }

    /**
     * {@return the error code that {@code nonRetryableErrors} matches, such as {@code auth.token_expired}, or
     * {@code null} (the default) to use the class name}
     */
    default @Nullable String errorCode() {
        return null;
    }
}
