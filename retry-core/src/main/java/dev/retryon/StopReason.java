/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

/**
 * Why a call that failed was not, or no longer, retried.
 *
 * @since 0.1.0
 */
public enum StopReason {

    /** The failure was one to retry, but all attempts are used up. */
    EXHAUSTED,

    /** The error is not one that the policy retries, or the policy retries nothing. */
    NOT_RETRYABLE,

    /** A gate or a {@link RetryDecider} rejected the retry, or failed; or nothing would time or run an asynchronous retry. */
    REJECTED,

    /** The error asks for a wait that is longer than {@code maxDelay}. */
    DELAY_TOO_LONG,

    /** The next wait would have ended after the policy's {@code timeout}. */
    TIMEOUT,

    /** The retry budget had no token left. */
    BUDGET,

    /** The error carried {@link RetryDirective#DISCARD}. */
    DISCARD,

    /** The error carried {@link RetryDirective#FAIL}. */
    FAIL,

    /** The error carried {@link RetryDirective#DEAD_LETTER}. */
    DEAD_LETTER,

    /** The engine is closed: the application is shutting down. */
    SHUTDOWN,

    /** A {@link RetrySwitch} was turned off: somebody ended the retries while the application ran. */
    SWITCHED_OFF,

    /** The calling thread was interrupted; its interrupt flag is set. */
    INTERRUPTED,

    /** The caller gave up: the future of an asynchronous call was cancelled or completed, or its subscription ended. */
    CANCELLED,

    /** A stored call can't be made any more: its method is gone, or its arguments do not fit. */
    UNRESOLVABLE
}
