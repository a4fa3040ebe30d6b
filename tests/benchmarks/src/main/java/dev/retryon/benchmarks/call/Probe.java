// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.call;

import org.openjdk.jmh.annotations.CompilerControl;

/**
 * What every measured method is handed: it fails as the scenario wants, and counts the attempts of one call. Each thread
 * has its own, so threads share only what the libraries make them share.
 *
 * <p>Attempts are never inlined, for what is worth retrying never is: an error that the compiler sees thrown and caught
 * is a jump, and costs nothing.
 */
public final class Probe {

    /** Unused elements before and after the counts, so that those of two threads are never on one cache line. */
    private static final int PADDING = 32;

    private static final int ATTEMPTS = PADDING;

    private static final int FAILURES = PADDING + 1;

    private final int[] counts = new int[PADDING + 2 + PADDING];

    /**
     * Begins a call.
     *
     * @param failing how many attempts are going to fail
     * @return this probe
     */
    public Probe begin(int failing) {
        counts[ATTEMPTS] = 0;
        counts[FAILURES] = failing;
        return this;
    }

    /**
     * One attempt: a failure that is to be retried, or success.
     *
     * @return this probe
     */
    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    public Probe attempt() {
        if (counts[ATTEMPTS]++ < counts[FAILURES]) {
            throw new TransientFault();
        }
        return this;
    }

    /**
     * One attempt that fails permanently.
     *
     * @return never
     */
    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    public Probe refuse() {
        counts[ATTEMPTS]++;
        throw new PermanentFault();
    }

    /**
     * How many attempts the call had.
     *
     * @return zero or more
     */
    public int attempts() {
        return counts[ATTEMPTS];
    }
}
