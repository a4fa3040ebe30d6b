/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a stored call can't be made: no bean has the method, or what is stored does not fit it. A durable call that
 * ends with it becomes a dead letter; a dead letter that is sent again becomes one again.
 *
 * @since 0.1.0
 */
public final class UnresolvableCallException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message why the call can't be made
     * @param cause what was thrown, or {@code null}
     */
    public UnresolvableCallException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
