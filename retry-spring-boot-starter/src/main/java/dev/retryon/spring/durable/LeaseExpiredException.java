/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import dev.retryon.RetryDirective;
import dev.retryon.RetryHint;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The worker that held a stored call is gone: its process has ended, or stood still for too long. That counts as a failed
 * attempt, though the attempt may have been made. It is retried unless the policy excludes it.
 *
 * @since 0.1.0
 */
public final class LeaseExpiredException extends RuntimeException implements RetryHint {

    @Serial
    private static final long serialVersionUID = 1L;

    LeaseExpiredException(String id) {
        super("the process that held call " + id + " is gone, so it is not known whether the attempt was made");
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
