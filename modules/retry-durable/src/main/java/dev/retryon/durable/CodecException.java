// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if arguments cannot be encoded as text, or if text cannot be decoded into arguments.
 * The message names the method and the parameter; it never
 * quotes an argument that is {@link dev.retryon.spring.Redacted}.
 *
 * @since 0.1.0
 */
public final class CodecException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message names the method and the parameter, and quotes no redacted value
     * @param cause the error of the codec, or {@code null}
     */
    public CodecException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
