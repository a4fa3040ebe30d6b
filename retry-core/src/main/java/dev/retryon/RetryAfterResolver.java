// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Provides the requested delay of errors that can't implement {@link RetryHint}, such as the exceptions of an HTTP
 * client with a {@code Retry-After} header.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryAfterResolver {

    /** The delay that requests no retry. It ends durable calls too, with {@link StopReason#DELAY_TOO_LONG}. */
    Duration NEVER = Duration.ofSeconds(Long.MAX_VALUE);

    /**
     * Returns the delay that one error requests. The engine asks for each of its causes separately. It asks after the
     * error's own {@link RetryHint}, and only if no {@link RetryDecider} has set the delay. A resolver that throws is
     * treated as if it returned {@code null}.
     *
     * @param error the error
     * @return the delay, with the same rules as {@link RetryHint#retryAfter()}; {@link #NEVER} to end the call;
     *     {@code null} or a negative duration if this resolver has no answer
     */
    @Nullable Duration retryAfter(Throwable error);

    /**
     * Returns the delay that one error of a call requests. The engine uses this method. Override it if the answer
     * depends on the call, for example on {@link RetryContext#isDurable()}.
     *
     * @param error the error
     * @param context the context; {@link RetryContext#attempt()} is the failed attempt
     * @return as {@link #retryAfter(Throwable)}, which is the default
     */
    default @Nullable Duration retryAfter(Throwable error, RetryContext context) {
        return retryAfter(error);
    }
}
