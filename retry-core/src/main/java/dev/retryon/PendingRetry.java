/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

/** The next attempt of an asynchronous call, while it waits for its time or for a thread. */
interface PendingRetry {

    /** Makes the caller the one who ends the waiting; {@code false} if another one was first. */
    boolean claim();

    /** Ends the call after {@link #claim()}, because the engine was closed. */
    void shutDown();

    /** Whether the wait ends when a switch is turned off. */
    default boolean endsWith(RetrySwitch retrySwitch) {
        return false;
    }

    /** Ends the call after {@link #claim()}, because it was switched off. */
    default void switchOff() {}
}
