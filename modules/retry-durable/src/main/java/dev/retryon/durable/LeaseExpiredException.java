// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

import dev.retryon.RetryDirective;
import dev.retryon.RetryHint;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The error of an attempt of a stored call whose lease has expired, because the process of its worker ended or was
 * paused for too long. The attempt counts as failed, although it might have completed. The error is retried unless the
 * policy excludes it.
 *
 * @since 0.1.0
 */
public final class LeaseExpiredException extends RuntimeException implements RetryHint {

    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param id the id of the call
     */
    public LeaseExpiredException(String id) {
        super("the process that ran call " + id + " has stopped, so it is unknown whether the attempt completed");
    }

    @Override
    public RetryDirective directive() {
        return RetryDirective.RETRY;
    }

    @Override
    public @Nullable String errorCode() {
        return "retryon.lease_expired";
    }
}
