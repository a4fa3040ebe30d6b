/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import dev.retryon.backoff.DurationText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An attempt failed and another one follows after a delay. Sent before the wait.
 *
 * @since 0.1.0
 */
public final class RetryScheduled extends RetryEvent {

    private final Duration delay;

    private final @Nullable Throwable error;

    RetryScheduled(CallFacts call, Duration delay, @Nullable Throwable error) {
        super(call);
        this.delay = delay;
        this.error = error;
    }

    /**
     * The attempt that follows.
     *
     * @return {@link #attempt()} + 1
     */
    public int nextAttempt() {
        return attempt() + 1;
    }

    /**
     * How long is waited before it.
     *
     * @return the delay, zero or more
     */
    public Duration delay() {
        return delay;
    }

    @Override
    public @Nullable Throwable error() {
        return error;
    }

    @Override
    public String toString() {
        return name() + ": attempt " + attempt() + " of " + maxAttempts() + " failed, next in "
                + DurationText.print(delay) + ": " + errorClass(error);
    }
}
