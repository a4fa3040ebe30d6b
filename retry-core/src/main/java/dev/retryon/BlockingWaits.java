// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.backoff.DurationText;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The waits of an engine's blocking calls. Each thread parks itself, so the cost of a wait does not depend on the number of
 * other waits. {@link #close()} ends them all.
 */
final class BlockingWaits {

    private final Set<Wait> waits = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    /** Waits, but not while a switch is off. */
    void sleep(Duration delay, @Nullable RetrySwitch retrySwitch) throws InterruptedException {
        long end = System.nanoTime() + delay.toNanos();
        Wait wait = new Wait(Thread.currentThread(), retrySwitch);
        waits.add(wait);
        try {
            // Both are read after the wait was added, and set before the waits are listed. So no wait is missed.
            while (!closed && !wait.isSwitchedOff()) {
                long remaining = end - System.nanoTime();
                if (remaining <= 0) {
                    return;
                }
                if (Thread.interrupted()) {
                    throw new InterruptedException("interrupted while waiting for the next attempt");
                }
                LockSupport.parkNanos(this, remaining);
            }
        } finally {
            waits.remove(wait);
        }
        CoreLog.debug("a wait of " + DurationText.print(delay) + " was ended early", null);
    }

    /** The number of waiting threads. */
    int size() {
        return waits.size();
    }

    /** Ends every wait, also those that begin later. */
    void close() {
        closed = true;
        for (Wait wait : waits) {
            LockSupport.unpark(wait.thread);
        }
    }

    /** Ends the waits of a switch that is off. */
    void end(RetrySwitch retrySwitch) {
        for (Wait wait : waits) {
            if (wait.retrySwitch == retrySwitch) {
                LockSupport.unpark(wait.thread);
            }
        }
    }

    private static final class Wait {

        private final Thread thread;

        private final @Nullable RetrySwitch retrySwitch;

        private Wait(Thread thread, @Nullable RetrySwitch retrySwitch) {
            this.thread = thread;
            this.retrySwitch = retrySwitch;
        }

        private boolean isSwitchedOff() {
            return retrySwitch != null && retrySwitch.isOff();
        }
    }
}
