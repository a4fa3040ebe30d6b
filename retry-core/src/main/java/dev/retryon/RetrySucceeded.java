/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * A call succeeded after at least one retry; {@link #attempt()} is the attempt that did.
 *
 * @since 0.1.0
 */
public final class RetrySucceeded extends RetryEvent {

    private final @Nullable Throwable lastError;

    RetrySucceeded(CallFacts call, @Nullable Throwable lastError) {
        super(call);
        this.lastError = lastError;
    }

    /**
     * How many retries it took.
     *
     * @return {@link #attempt()} − 1, at least 1
     */
    public int retries() {
        return attempt() - 1;
    }

    @Override
    public @Nullable Throwable error() {
        return lastError;
    }

    @Override
    public String toString() {
        return name() + ": succeeded at attempt " + attempt() + " of " + maxAttempts();
    }
}
