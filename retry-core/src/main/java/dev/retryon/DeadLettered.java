// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * Published when a call has failed permanently and is kept in the {@link DeadLetterQueue}. A
 * {@link RetryFailed} follows.
 *
 * @since 0.1.0
 */
public final class DeadLettered extends RetryEvent {

    private final StopReason reason;

    DeadLettered(Facts call, @Nullable Throwable error, StopReason reason) {
        super(call, error);
        this.reason = reason;
    }

    /** {@return why the call was not retried, or not retried again} */
    public StopReason reason() {
        return reason;
    }

    @Override
    public String toString() {
        return name() + ": dead letter " + callId() + " after attempt " + attempt() + " of " + maxAttempts() + " ("
                + reason + "): " + errorClass(error());
    }
}
