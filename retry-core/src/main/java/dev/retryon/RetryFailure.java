/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import java.util.List;

/** How a call ended in failure, for those that serve its caller instead. */
public final class RetryFailure {

    private final RetryCall call;

    private final Throwable error;

    private final StopReason reason;

    RetryFailure(RetryCall call, Throwable error, StopReason reason) {
        this.call = call;
        this.error = error;
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
        return call.callId();
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
     * The errors of all attempts that threw one, the oldest first, unwrapped.
     *
     * @return a copy, of the latest {@value PastAttempt#KEPT} errors
     */
    public List<Throwable> errors() {
        return call.errors();
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

    @Override
    public String toString() {
        return name() + ": " + reason + " after attempt " + attempts() + ": " + error;
    }
}
