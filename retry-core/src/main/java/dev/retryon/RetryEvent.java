/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a call that was retried or failed: one {@link RetryScheduled} for each retry, then one
 * {@link RetrySucceeded} or {@link RetryFailed}; before the latter a {@link DeadLettered} if the call was kept. A call that
 * succeeds at once has no events.
 *
 * <p>An event holds values and, apart from the error, nothing of the call: it may be kept.
 *
 * @since 0.1.0
 */
public abstract sealed class RetryEvent permits RetryScheduled, RetrySucceeded, RetryFailed, DeadLettered {

    private final CallFacts call;

    RetryEvent(CallFacts call) {
        this.call = call;
    }

    /**
     * The name of what was called.
     *
     * @return the name given to {@link Retry#of}
     */
    public final String name() {
        return call.name();
    }

    /**
     * The call's id, the same for all its events and attempts.
     *
     * @return an id, unique across machines
     */
    public final String callId() {
        return call.callId().value();
    }

    /**
     * The attempt that this event is about.
     *
     * @return the number, from 1
     */
    public final int attempt() {
        return call.attempt();
    }

    /**
     * How many attempts the call had at most.
     *
     * @return the policy's {@code maxAttempts}, at least 1
     */
    public final int maxAttempts() {
        return call.maxAttempts();
    }

    /**
     * When it happened, by the engine's clock. If the system's clock is adjusted, events follow it within a second.
     *
     * @return the time of day
     */
    public final Instant at() {
        return call.at();
    }

    /**
     * How long the call had taken until then.
     *
     * @return the time, counted as {@link RetryContext#elapsed()} says
     */
    public final Duration elapsed() {
        return call.elapsed();
    }

    /**
     * The error of the attempt, unwrapped; for {@link RetrySucceeded} that of the last attempt that failed.
     *
     * @return the error, or {@code null} if the attempt returned a value that is to be retried
     */
    public abstract @Nullable Throwable error();

    /** The class of the error: its message may hold secrets, and reading it runs code of the user's. */
    static String errorClass(@Nullable Throwable error) {
        return error == null ? "a returned value" : error.getClass().getName();
    }
}
