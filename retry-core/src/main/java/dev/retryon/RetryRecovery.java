/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * Serves the caller of a call that ended in failure. It is asked for failures that were the policy's to retry: never for
 * {@link StopReason#NOT_RETRYABLE}, {@link StopReason#INTERRUPTED}, {@link StopReason#CANCELLED}, {@link
 * StopReason#DISCARD} or {@link StopReason#FAIL}, and not for values that {@code retryIf} refused. A recovery is not itself retried.
 *
 * @param <S> what the call is about
 * @param <T> the value's type
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryRecovery<S, T extends @Nullable Object> {

    /**
     * Returns a value in place of the failure.
     *
     * @param subject what the call is about
     * @param failure how the call ended
     * @return the value for the caller
     * @throws Throwable {@code failure.error()} itself if this recovery does not fit it, which leaves the call failed;
     *     any other error goes to the caller with the original one suppressed in it
     */
    T recover(S subject, RetryFailure failure) throws Throwable;
}
