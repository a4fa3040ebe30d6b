/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.shared;

/**
 * Thrown when the shared store can't be asked.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public final class SharedStoreException extends RuntimeException {

    SharedStoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
