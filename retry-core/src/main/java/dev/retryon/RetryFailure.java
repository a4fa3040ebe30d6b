/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import java.util.List;

/**
 * The failure of a call, for a {@link RetryRecovery}. It consists of plain values and errors, so you can keep it.
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
     * Returns the name of the retry.
     *
     * @return the name given to {@link Retry#of}
     */
    public String name() {
        return call.name();
    }

    /**
     * Returns the id of the call.
     *
     * @return the same as {@link RetryContext#callId()} in its attempts
     */
    public String callId() {
        return call.callId().value();
    }

    /**
     * Returns the number of attempts.
     *
     * @return at least 1
     */
    public int attempts() {
        return call.attempt();
    }

    /**
     * Returns the error of the last attempt.
     *
     * @return the error as it was thrown
     */
    public Throwable error() {
        return error;
    }

    /**
     * Returns the unwrapped errors of the latest failed attempts, oldest first. The last one is that of {@link
     * #error()}.
     *
     * @return at most {@value PastAttempt#ERRORS} errors; immutable
     */
    public List<Throwable> errors() {
        return errors;
    }

    /**
     * Returns why the call was not retried, or not retried again.
     *
     * @return the reason
     */
    public StopReason reason() {
        return reason;
    }

    /**
     * Returns the time since the start of the call.
     *
     * @return the time, see {@link RetryContext#elapsed()}
     */
    public Duration elapsed() {
        return call.elapsed();
    }

    /** Returns the name, the reason and the class of the error. It calls no method of the error. */
    @Override
    public String toString() {
        return name() + ": " + reason + " after attempt " + attempts() + ": " + RetryEvent.errorClass(error);
    }
}
