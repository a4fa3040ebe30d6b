/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Implemented by exceptions that know something about retrying themselves. The hints of an error and of its causes are
 * looked at, the nearest one that returns something wins. A method that throws counts as one that returns {@code null}.
 *
 * @since 0.1.0
 */
public interface RetryHint {

    /**
     * What the error asks for.
     *
     * @return the directive, or {@code null} (the default) to leave it to the policy
     */
    default @Nullable RetryDirective directive() {
        return null;
    }

    /**
     * How long to wait before the next attempt, used exactly, without jitter. If it is longer than the policy's
     * {@code maxDelay} the call ends with {@link StopReason#DELAY_TOO_LONG}, unless it is durable. More than a hundred
     * years counts as a hundred years.
     *
     * @return the wait; zero means at once; {@code null} (the default) or a negative duration means no hint
     */
    default @Nullable Duration retryAfter() {
        return null;
    }

    /**
     * A dot-namespaced error code, such as {@code auth.token_expired}, for {@code nonRetryableErrors}.
     *
     * @return the code, or {@code null} (the default) for the class name
     */
    default @Nullable String errorCode() {
        return null;
    }
}
