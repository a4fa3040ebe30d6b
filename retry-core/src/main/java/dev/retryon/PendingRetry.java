// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

/** The next attempt of an asynchronous call, while it waits for its delay or for a thread. */
interface PendingRetry {

    /** Claims the right to end the wait; {@code false} if another thread was first. */
    boolean claim();

    /** Ends the claimed call, because the engine was closed or retries were switched off. */
    void end(StopReason reason);

    /** Returns whether the wait ends when a switch is turned off. */
    default boolean endsWith(RetrySwitch retrySwitch) {
        return false;
    }
}
