// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;

/**
 * Waits between the attempts of blocking calls. Tests can use one that returns at once and advances a {@link Ticker}.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface Sleeper {

    /**
     * Waits for a delay.
     *
     * @param delay the delay, more than zero
     * @throws InterruptedException if the thread is interrupted; the call ends with {@link StopReason#INTERRUPTED}
     */
    void sleep(Duration delay) throws InterruptedException;
}
