// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Published when an attempt has failed and another one follows, before the delay begins.
 *
 * @since 0.1.0
 */
public final class RetryScheduled extends RetryEvent {

    private final Duration delay;

    RetryScheduled(Facts call, Duration delay, @Nullable Throwable error) {
        super(call, error);
        this.delay = delay;
    }

    /** {@return the number of the next attempt, which is {@link #attempt()} + 1} */
    public int nextAttempt() {
        return attempt() + 1;
    }

    /** {@return the delay before the next attempt, zero or more} */
    public Duration delay() {
        return delay;
    }

    @Override
    public String toString() {
        return name() + ": attempt " + attempt() + " of " + maxAttempts() + " failed, next in "
                + DurationMath.print(delay) + ": " + errorClass(error());
    }
}
