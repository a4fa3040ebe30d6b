/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * A call ended in failure; {@link #attempt()} was its last attempt. Sent after a recovery has served the caller.
 *
 * @since 0.1.0
 */
public final class RetryFailed extends RetryEvent {

    private final @Nullable Throwable error;

    private final StopReason reason;

    private final boolean recovered;

    RetryFailed(CallFacts call, @Nullable Throwable error, StopReason reason, boolean recovered) {
        super(call);
        this.error = error;
        this.reason = reason;
        this.recovered = recovered;
    }

    /**
     * How many retries there were.
     *
     * @return {@link #attempt()} − 1, zero or more
     */
    public int retries() {
        return attempt() - 1;
    }

    /**
     * Why the call was not, or no longer, retried.
     *
     * @return the reason
     */
    public StopReason reason() {
        return reason;
    }

    /**
     * Whether a {@link RetryRecovery} served the caller.
     *
     * @return {@code true} if the caller got a value after all
     */
    public boolean recovered() {
        return recovered;
    }

    @Override
    public @Nullable Throwable error() {
        return error;
    }

    @Override
    public String toString() {
        return name() + ": " + (recovered ? "recovered" : "failed") + " after attempt " + attempt() + " of "
                + maxAttempts() + " (" + reason + "): " + errorClass(error);
    }
}
