// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a stored call cannot run because no bean has the method, or because the stored arguments do not fit the
 * method. A durable call that ends with this exception becomes a dead letter. A resent call becomes a dead letter
 * again.
 *
 * @since 0.1.0
 */
public final class UnresolvableCallException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message why the call cannot run
     * @param cause the exception that was thrown, or {@code null}
     */
    public UnresolvableCallException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
