/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import java.io.Serial;

/**
 * This process does not hold a stored call any more, so nothing was written: another process goes on with the call.
 *
 * @since 0.1.0
 */
public final class LeaseLostException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param id the id of the call
     */
    public LeaseLostException(String id) {
        super("the hold on call " + id + " has lapsed, and another process has taken it");
    }
}
