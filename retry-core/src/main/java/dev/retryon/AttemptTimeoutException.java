// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.backoff.DurationText;
import java.io.Serial;
import java.time.Duration;

/**
 * Thrown if an attempt exceeds the policy's {@code attemptTimeout}. This exception is retried without being
 * listed. To end the call when an attempt exceeds the limit, use {@code excludes(AttemptTimeoutException.class)}.
 * If the interrupted attempt threw an exception, that exception is suppressed in this one.
 *
 * @since 0.1.0
 */
public class AttemptTimeoutException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

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
