/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import java.util.List;

/**
 * How a call ended in failure, for a recovery that serves its caller instead. It holds values and may be kept.
 *
 * @since 0.1.0
 */
public final class RetryFailure {

    private final CallFacts call;

    private final Throwable error;

    private final List<Throwable> errors;

    private final StopReason reason;

    RetryFailure(CallFacts call, Throwable error, List<Throwable> errors, StopReason reason) {
        this.call = call;
        this.error = error;
        this.errors = errors;
        this.reason = reason;
    }

    /**
     * The name of what was called.
     *
     * @return the name given to {@link Retry#of}
     */
    public String name() {
        return call.name();
    }

    /**
     * The call's id.
     *
     * @return the same as {@link RetryContext#callId()} in its attempts
     */
    public String callId() {
        return call.callId().value();
    }

    /**
     * How many attempts were made.
     *
     * @return at least 1
     */
    public int attempts() {
        return call.attempt();
    }

    /**
     * What the last attempt threw.
     *
     * @return the error, just as thrown
     */
    public Throwable error() {
        return error;
    }

    /**
     * The errors of the latest attempts that threw one, the oldest first, unwrapped. The last one is that of {@link #error()}.
     *
     * @return at most {@value PastAttempt#ERRORS} errors; immutable
     */
    public List<Throwable> errors() {
        return errors;
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
     * How long the call took.
     *
     * @return the time, counted as {@link RetryContext#elapsed()} says
     */
    public Duration elapsed() {
        return call.elapsed();
    }

    /** Names the call and the class of its error; no code of the user's runs here. */
    @Override
    public String toString() {
        return name() + ": " + reason + " after attempt " + attempts() + ": " + RetryEvent.errorClass(error);
    }
}
