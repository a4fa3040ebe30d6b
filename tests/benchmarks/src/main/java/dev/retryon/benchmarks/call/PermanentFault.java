// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.call;

import java.io.Serial;

/** An error that is not to be retried. Stackless as {@link TransientFault} is, and for the same reason. */
public final class PermanentFault extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Fails. */
    public PermanentFault() {
        super("refused", null, true, false);
    }
}
