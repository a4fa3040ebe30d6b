// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Implemented by exceptions that influence their own retry. For exceptions of other libraries, a
 * {@link RetryHintResolver} can return a hint. The engine checks the error first and then its causes, and uses the
 * first answer. A method that throws an exception is treated as if it returned {@code null}.
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

    /**
     * The delay with which an error requests not to be retried. It also ends durable calls, with
     * {@link StopReason#DELAY_TOO_LONG}.
     */
    Duration NEVER = Duration.ofSeconds(Long.MAX_VALUE);

    /**
     * {@return a hint that contains only an error code}
     *
     * @param errorCode the code, such as {@code auth.token_expired}
     */
    static RetryHint ofErrorCode(String errorCode) {
        Objects.requireNonNull(errorCode, "errorCode");
        return new RetryHint() {
            @Override
            public String errorCode() {
                return errorCode;
            }
        };
    }

    /**
     * {@return a hint that contains only a delay}
     *
     * @param retryAfter the delay before the next attempt, or {@link #NEVER}
     */
    static RetryHint ofRetryAfter(Duration retryAfter) {
        Objects.requireNonNull(retryAfter, "retryAfter");
        return new RetryHint() {
            @Override
            public Duration retryAfter() {
                return retryAfter;
            }
        };
    }

    /** {@return the directive of this error, or {@code null} (the default) to apply the policy} */
    default @Nullable RetryDirective directive() {
        return null;
    }

    /**
     * Returns the delay before the next attempt, which is used without jitter. If the delay is longer than the
     * policy's {@code maxDelay}, the call ends with {@link StopReason#DELAY_TOO_LONG}, unless the call is durable.
     * The longest delay is one hundred years.
     *
     * @return the delay; zero means no delay; {@link #NEVER} ends the call; {@code null} (the default) or a negative
     *     duration means no hint
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
