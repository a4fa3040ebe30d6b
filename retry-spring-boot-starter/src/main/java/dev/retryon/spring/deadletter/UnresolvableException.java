/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.deadletter;

import java.io.Serial;

/** A stored call can't be made by this version of the application; the message says why. */
final class UnresolvableException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    UnresolvableException(String message) {
        super(message);
    }
}
