// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

/**
 * Prepares a retry, for example by fetching a new token. The preparation runs after the wait and before the attempt, on
 * the thread of the attempt. It does not run before the first attempt.
 *
 * <pre>{@code
 * Retry retry = Retry.builder("catalogue", policy)
 *     .beforeRetry((subject, context) -> tokens.refresh())
 *     .build();
 * }</pre>
 *
 * <p>If the preparation throws an exception, the call ends as if the attempt had failed with an exception that the
 * policy does not retry ({@link StopReason#NOT_RETRYABLE}). The error of the previous attempt is suppressed in that
 * exception. An {@code InterruptedException}, or the {@link RetryDirective} of the exception, has the same effect as
 * in an attempt.
 *
 * <p>The duration of the preparation counts towards the {@code timeout} of the policy. If the timeout has expired
 * when the preparation ends, the attempt does not start ({@link StopReason#TIMEOUT}). The {@code attemptTimeout}
 * begins after the preparation.
 *
 * @param <S> the type of the subject
 * @since 0.1.0
 */
@FunctionalInterface
public interface BeforeRetry<S> {

    /**
     * Prepares the next attempt.
     *
     * @param subject the subject of the call
     * @param context the context of the call. {@link RetryContext#attempt()} is the number of the next attempt, and
     *     {@link RetryContext#lastError()} is the error of the previous one. The error is {@code null} for stored
     *     calls, and if the previous attempt returned a value to retry
     * @throws Throwable to end the call with this exception
     */
    void run(S subject, RetryContext context) throws Throwable;
}
