// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.io.Serial;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An exception that lets an attempt decide about its own retry.
 *
 * <pre>{@code
 * if (order.isCancelled()) {
 *     throw RetrySignal.fail("order is cancelled");
 * }
 * throw RetrySignal.retryAfter("the partner is busy", Duration.ofSeconds(5));
 * }</pre>
 *
 * @since 0.1.0
 */
public class RetrySignal extends RuntimeException implements RetryHint {

    @Serial
    private static final long serialVersionUID = 1L;

    private final RetryDirective directive;

    private final @Nullable Duration retryAfter;

    private final @Nullable String errorCode;

    /**
     * Creates a signal.
     *
     * @param directive the action for the call
     * @param message the detail message
     * @param cause the cause, or {@code null}
     */
    public RetrySignal(RetryDirective directive, @Nullable String message, @Nullable Throwable cause) {
        this(directive, message, cause, null, null);
    }

    /**
     * Creates a signal with a delay and an error code.
     *
     * @param directive the action for the call
     * @param message the detail message
     * @param cause the cause, or {@code null}
     * @param retryAfter the delay before the next attempt, or {@code null}
     * @param errorCode the error code, such as {@code auth.token_expired}, or {@code null}
     */
    public RetrySignal(
            RetryDirective directive,
            @Nullable String message,
            @Nullable Throwable cause,
            @Nullable Duration retryAfter,
            @Nullable String errorCode) {
        super(message, cause);
        this.directive = directive;
        this.retryAfter = retryAfter;
        this.errorCode = errorCode;
    }

    /**
     * {@return a signal that requests a retry after the policy's delay}
     *
     * @param message the detail message
     */
    public static RetrySignal retry(String message) {
        return new RetrySignal(RetryDirective.RETRY, message, null);
    }

    /**
     * {@return a signal that requests a retry after a given delay}
     *
     * @param message the detail message
     * @param delay the delay, which is used without jitter; at most the policy's {@code maxDelay}
     */
    public static RetrySignal retryAfter(String message, Duration delay) {
        return new RetrySignal(RetryDirective.RETRY, message, null, delay, null);
    }

    /**
     * {@return a signal that ends the call with {@link StopReason#DISCARD}, because the call is no longer
     * needed}
     *
     * @param message the detail message
     */
    public static RetrySignal discard(String message) {
        return new RetrySignal(RetryDirective.DISCARD, message, null);
    }

    /**
     * {@return a signal that ends the call with {@link StopReason#DEAD_LETTER}}
     *
     * @param message the detail message
     */
    public static RetrySignal deadLetter(String message) {
        return new RetrySignal(RetryDirective.DEAD_LETTER, message, null);
    }

    /**
     * {@return a signal that ends the call with {@link StopReason#FAIL}, because the call is invalid}
     *
     * @param message the detail message
     */
    public static RetrySignal fail(String message) {
        return new RetrySignal(RetryDirective.FAIL, message, null);
    }

    @Override
    public RetryDirective directive() {
        return directive;
    }

    @Override
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }

    @Override
    public @Nullable String errorCode() {
        return errorCode;
    }
}
