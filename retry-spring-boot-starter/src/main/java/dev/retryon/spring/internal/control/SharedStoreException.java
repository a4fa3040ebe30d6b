/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.control;

/**
 * Thrown when the store that all nodes share does not respond.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public final class SharedStoreException extends RuntimeException {

    /**
     * Creates the exception.
     *
     * @param message what failed
     * @param cause the error of the store
     */
    public SharedStoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
