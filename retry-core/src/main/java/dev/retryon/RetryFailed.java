// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * Published when a call has failed permanently, after the recovery if one exists. {@link #attempt()} is the last
 * attempt of the call.
 *
 * @since 0.1.0
 */
public final class RetryFailed extends RetryEvent {

    private final StopReason reason;

    private final boolean recovered;

    RetryFailed(Facts call, @Nullable Throwable error, StopReason reason, boolean recovered) {
        super(call, error);
        this.reason = reason;
        this.recovered = recovered;
    }

    /** {@return the number of retries, which is {@link #attempt()} − 1, zero or more} */
    public int retries() {
        return attempt() - 1;
    }

    /** {@return why the call was not retried, or not retried again} */
    public StopReason reason() {
        return reason;
    }

    /** {@return whether the caller received a value, because a {@link RetryRecovery} returned one} */
    public boolean recovered() {
        return recovered;
    }

    @Override
    public String toString() {
        return name() + ": " + (recovered ? "recovered" : "failed") + " after attempt " + attempt() + " of "
                + maxAttempts() + " (" + reason + "): " + errorClass(error());
    }
}
