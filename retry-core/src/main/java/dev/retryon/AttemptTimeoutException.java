// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.backoff.DurationText;
import java.io.Serial;
import java.time.Duration;

/**
 * Thrown if an attempt exceeds the policy's {@code attemptTimeout}. It is retried without being listed. Use {@code
 * excludes(AttemptTimeoutException.class)} to stop after the first one. The exception that the interrupted attempt
 * threw is suppressed in it.
 *
 * @since 0.1.0
 */
public class AttemptTimeoutException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** The time limit of the attempt. */
    private final Duration limit;

    /**
     * Creates an exception.
     *
     * @param name the name of the call
     * @param attempt the number of the attempt, from 1
     * @param limit the time limit
     */
    public AttemptTimeoutException(String name, int attempt, Duration limit) {
        super(name + ": attempt " + attempt + " took longer than " + DurationText.print(limit));
        this.limit = limit;
    }

    /** {@return the time limit of the attempt, which is the policy's {@code attemptTimeout}} */
    public Duration limit() {
        return limit;
    }
}
