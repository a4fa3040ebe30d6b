// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.call;

import java.io.Serial;

/**
 * An error that is to be retried. It has no stack trace, because filling one in costs more than all that is measured
 * here; otherwise it is an ordinary exception, made anew for each failure, in which others can be suppressed.
 */
public final class TransientFault extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Fails. */
    public TransientFault() {
        super("busy", null, true, false);
    }

    /**
     * What the gates ask.
     *
     * @return {@code true}
     */
    public boolean isBusy() {
        return true;
    }
}
