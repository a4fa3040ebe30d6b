/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A stored call can't be made: no bean has the method, or what is stored does not fit it. The call becomes a dead letter.
 *
 * @since 0.1.0
 */
public final class UnresolvableCallException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    UnresolvableCallException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
