// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.durable;

/** One of the two that are compared: stores calls, and has threads that make them. */
interface Workers {

    /** Its threads begin to make calls. */
    void begin();

    /** They end. What is asked for from then on is only stored. */
    void end();

    /** Stores a call that is due at once. */
    void ask(String order) throws Exception;

    /**
     * Stores a call that is due after {@link Orders#DELAY}.
     *
     * @return when it is due, by {@link System#nanoTime()}
     */
    long askLater(String order) throws Exception;
}
