// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * Returns a value to the caller after all attempts have failed. A recovery runs only after retryable failures, and for
 * types listed in {@code recoverOn}. It never runs after {@link StopReason#INTERRUPTED}, {@link StopReason#CANCELLED},
 * {@link StopReason#DISCARD}, {@link StopReason#FAIL} or {@link StopReason#UNRESOLVABLE}, or for a value that
 * {@code retryIf} rejected. A recovery is not retried.
 *
 * @param <S> the type of the subject
 * @param <T> the type of the value
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryRecovery<S, T extends @Nullable Object> {

    /**
     * Returns a value instead of the failure.
     *
     * @param subject the subject of the call
     * @param error the error of the last attempt, as it was thrown
     * @param context the context of the call, with its {@linkplain RetryContext#errors() errors} and the
     *     {@linkplain RetryContext#stopReason() reason} why it ended
     * @return the value for the caller
     * @throws Throwable the given error, if this recovery does not apply. Any other exception is thrown to the caller,
     *     with the original error suppressed in it
     */
    T recover(S subject, Throwable error, RetryContext context) throws Throwable;
}
