// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.control;

/** Thrown when the store that all nodes share does not respond. */
@SuppressWarnings("serial")
public final class SharedStoreException extends RuntimeException {

    public SharedStoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
