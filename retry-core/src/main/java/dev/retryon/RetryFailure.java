// SPDX-License-Identifier: Apache-2.0
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

    /** {@return the name of the retry, as given to {@link Retry#of}} */
    public String name() {
        return call.name();
    }

    /** {@return the id of the call, see {@link RetryContext#callId()}} */
    public String callId() {
        return call.callId().value();
    }

    /** {@return the number of attempts, at least 1} */
    public int attempts() {
        return call.attempt();
    }

    /** {@return the error of the last attempt, as it was thrown} */
    public Throwable error() {
        return error;
    }

    /**
     * {@return the unwrapped errors of the latest failed attempts, oldest first and at most
     * {@value PastAttempt#ERRORS}; immutable} The last one is that of {@link #error()}.
     */
    public List<Throwable> errors() {
        return errors;
    }

    /** {@return why the call was not retried, or not retried again} */
    public StopReason reason() {
        return reason;
    }

    /** {@return the time since the end of the first failed attempt} */
    public Duration sinceFirstFailure() {
        return call.sinceFirstFailure();
    }

    /** Returns the name, the reason and the class of the error. It calls no method of the error. */
    @Override
    public String toString() {
        return name() + ": " + reason + " after attempt " + attempts() + ": " + RetryEvent.errorClass(error);
    }
}
