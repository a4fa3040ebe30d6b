// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.beans;

import dev.retryon.benchmarks.call.Probe;

/** What generated beans have: this method, and others like it. */
public interface GeneratedCall {

    /**
     * Attempts.
     *
     * @param probe the probe
     * @return the probe
     */
    Probe call0(Probe probe);
}
