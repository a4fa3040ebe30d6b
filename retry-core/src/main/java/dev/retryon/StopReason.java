// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

/**
 * The reason why a failed call was not retried, or not retried again.
 *
 * @since 0.1.0
 */
public enum StopReason {

    /** The failure was retryable, but all attempts are used up. */
    EXHAUSTED,

    /** The policy does not retry this error, retries are disabled, or {@link BeforeRetry} threw this error. */
    NOT_RETRYABLE,

    /**
     * A gate or a {@link RetryDecider} rejected the retry or threw an exception. The timer, the executor or the store
     * can also have rejected the retry.
     */
    REJECTED,

    /** The error requested a delay longer than {@code maxDelay}, or requested not to be retried at all. */
    DELAY_TOO_LONG,

    /** The next attempt would have started after the policy's {@code timeout}. */
    TIMEOUT,

    /** The retry budget had no token left. */
    BUDGET,

    /** The error had the directive {@link RetryDirective#DISCARD}. */
    DISCARD,

    /** The error had the directive {@link RetryDirective#FAIL}. */
    FAIL,

    /** The error had the directive {@link RetryDirective#DEAD_LETTER}. */
    DEAD_LETTER,

    /** The engine was closed, usually because the application is shutting down. */
    SHUTDOWN,

    /** A {@link RetrySwitch} was turned off at run time. */
    SWITCHED_OFF,

    /** The transaction of the caller is marked for rollback, so nothing that another attempt does could be committed. */
    ROLLBACK_ONLY,

    /** The calling thread was interrupted. The interrupt flag of the thread is set. */
    INTERRUPTED,

    /** The caller cancelled an asynchronous call: its future was cancelled or completed, or its subscription ended. */
    CANCELLED,

    /** A stored call can no longer run, because its method is missing or its arguments do not fit. */
    UNRESOLVABLE
}
