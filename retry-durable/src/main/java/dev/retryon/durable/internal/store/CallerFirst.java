/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.store;

/** A store that other threads can't write to while the transaction of a caller lasts. */
public interface CallerFirst {

    /**
     * Registers a write to be started after the transaction of the thread, if it has to wait for that.
     *
     * @param write starts the write on another thread, and does not wait for it
     * @return {@code false} if nothing has to be waited for: the write was not registered
     */
    boolean afterCaller(Runnable write);
}
