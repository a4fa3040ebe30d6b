// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.engine;

import java.io.Serial;

/** This process has lost the lease of a stored call, so nothing was written. Another process continues the call. */
public final class LeaseLostException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    public LeaseLostException(String id) {
        super("the lease of call " + id + " has expired, and another process has taken over the call");
    }
}
