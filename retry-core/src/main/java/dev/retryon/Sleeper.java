/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;

/**
 * Waits between the attempts of blocking calls. Tests put one here that returns at once and moves a {@link Ticker} on.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface Sleeper {

    /**
     * Waits.
     *
     * @param delay how long, more than zero
     * @throws InterruptedException if the thread is interrupted; the call ends with {@link StopReason#INTERRUPTED}
     */
    void sleep(Duration delay) throws InterruptedException;
}
