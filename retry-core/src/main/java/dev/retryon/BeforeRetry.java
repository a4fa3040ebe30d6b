// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

/**
 * Prepares a retry, for example by fetching a new token. It runs after the wait and before the attempt, on the thread
 * of the attempt. It does not run before the first attempt.
 *
 * <pre>{@code
 * Retry retry = Retry.builder("catalogue", policy)
 *     .beforeRetry((subject, context) -> tokens.refresh())
 *     .build();
 * }</pre>
 *
 * <p>If it throws an exception, the call ends as if the attempt had failed with an exception that the policy does not
 * retry ({@link StopReason#NOT_RETRYABLE}). The error of the previous attempt is suppressed in that exception. An
 * {@code InterruptedException} and a {@link RetryDirective} of the exception apply as for an attempt.
 *
 * <p>Its time counts for the {@code timeout} of the policy. If it ends after the timeout, the attempt does not start
 * ({@link StopReason#TIMEOUT}). The {@code attemptTimeout} begins after it.
 *
 * @param <S> the type of the subject
 * @since 0.1.0
 */
@FunctionalInterface
public interface BeforeRetry<S> {

    /**
     * Prepares the attempt that follows.
     *
     * @param subject the subject of the call
     * @param context the context of the call. {@link RetryContext#attempt()} is the attempt that follows, and {@link
     *     RetryContext#lastError()} the error of the previous one. The error is {@code null} if the previous attempt
     *     returned a value to retry, and for stored calls
     * @throws Throwable to end the call with this exception
     */
    void run(S subject, RetryContext context) throws Throwable;
}
