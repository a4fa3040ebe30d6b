// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An event of a call that was retried or failed. A {@link RetryScheduled} is published for each retry. When the call
 * ends, a {@link RetrySucceeded} or a {@link RetryFailed} is published. If the call was kept as a dead letter, a
 * {@link DeadLettered} precedes the {@link RetryFailed}. A call that succeeds immediately has no events.
 *
 * <p>An event consists of plain values and the error, so you can store it.
 *
 * @since 0.1.0
 */
public abstract sealed class RetryEvent permits RetryScheduled, RetrySucceeded, RetryFailed, DeadLettered {

    /** The call at the time of the event. Does not reference the call or its arguments. */
    record Facts(String name, CallId callId, int attempt, int maxAttempts, Instant at, long sinceFirstFailureNanos) {}

    private final Facts call;

    private final @Nullable Throwable error;

    RetryEvent(Facts call, @Nullable Throwable error) {
        this.call = call;
        this.error = error;
    }

    /** {@return the name of the retry, as given to {@link Retry#of}} */
    public final String name() {
        return call.name();
    }

    /** {@return the id of the call, which is unique across machines and the same for all its events and attempts} */
    public final String callId() {
        return call.callId().value();
    }

    /** {@return the number of the attempt of this event, from 1} */
    public final int attempt() {
        return call.attempt();
    }

    /** {@return the policy's {@code maxAttempts}, at least 1} */
    public final int maxAttempts() {
        return call.maxAttempts();
    }

    /**
     * {@return the time of day of the event, by the engine's clock} If the system clock is adjusted, the times of
     * events follow within a second.
     */
    public final Instant at() {
        return call.at();
    }

    /**
     * Returns the time from the end of the first failed attempt to this event. The duration of the first attempt is not
     * included, because a call that succeeds immediately does not read the clock.
     *
     * @return the time; zero if no attempt has failed
     */
    public final Duration sinceFirstFailure() {
        return Duration.ofNanos(call.sinceFirstFailureNanos());
    }

    /**
     * Returns the unwrapped error of the attempt. For {@link RetrySucceeded}, this is the error of the last failed
     * attempt.
     *
     * @return the error, or {@code null} if the attempt returned a value to retry, or ran before the call was stored
     */
    public final @Nullable Throwable error() {
        return error;
    }

    /** Returns the class of the error. The message can contain secrets, and reading it runs code of the application. */
    static String errorClass(@Nullable Throwable error) {
        return error == null ? "a returned value" : error.getClass().getName();
    }
}
