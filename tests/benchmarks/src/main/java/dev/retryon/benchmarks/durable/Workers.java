// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.durable;

/** One contender, which stores calls and has threads that run them. */
interface Workers {

    void begin();

    /** Stops the threads. Later calls are only stored. */
    void end();

    /** Stores a call that is due immediately. */
    void ask(String order) throws Exception;

    /** Stores a call that is due after {@link Orders#DELAY}. Returns when it is due, by {@link System#nanoTime()}. */
    long askLater(String order) throws Exception;
}
