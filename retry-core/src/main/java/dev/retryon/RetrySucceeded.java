// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * Published when a call has succeeded after at least one retry. {@link #attempt()} is the successful attempt.
 *
 * @since 0.1.0
 */
public final class RetrySucceeded extends RetryEvent {

    private final @Nullable String lastErrorType;

    RetrySucceeded(Facts call, @Nullable Throwable lastError, @Nullable String lastErrorType) {
        super(call, lastError);
        this.lastErrorType = lastErrorType;
    }

    /** {@return the number of retries, which is {@link #attempt()} − 1, at least 1} */
    public int retries() {
        return attempt() - 1;
    }

    /**
     * {@return the class name of the last failed attempt's error, even if that attempt ran before the call
     * was stored; {@code null} if that attempt returned a value to retry}
     */
    public @Nullable String errorType() {
        return lastErrorType;
    }

    @Override
    public String toString() {
        return name() + ": succeeded at attempt " + attempt() + " of " + maxAttempts();
    }
}
