/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.codec;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Arguments could not be turned into text, or text into arguments. The message names the method and the parameter; it never
 * quotes an argument that is {@link dev.retryon.spring.Redacted}.
 *
 * @since 0.1.0
 */
public final class CodecException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    CodecException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
