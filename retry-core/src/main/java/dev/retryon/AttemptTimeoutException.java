/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import dev.retryon.backoff.DurationText;
import java.io.Serial;
import java.time.Duration;

/**
 * An attempt took longer than the policy's {@code attemptTimeout}. Under a policy with such a limit this counts as one
 * of the {@code exceptions} without being listed; {@code exclude(AttemptTimeoutException.class)} makes it final.
 * What the attempt itself threw when it was cut short is suppressed in it.
 *
 * @since 0.1.0
 */
public class AttemptTimeoutException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** How long the attempt might have taken. */
    private final Duration limit;

    /**
     * Creates an exception.
     *
     * @param name what was called
     * @param attempt the attempt's number, from 1
     * @param limit how long it might have taken
     */
    public AttemptTimeoutException(String name, int attempt, Duration limit) {
        super(name + ": attempt " + attempt + " took longer than " + DurationText.print(limit));
        this.limit = limit;
    }

    /**
     * How long the attempt might have taken.
     *
     * @return the policy's {@code attemptTimeout}
     */
    public Duration limit() {
        return limit;
    }
}
