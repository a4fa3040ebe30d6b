/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * The waits of an engine's blocking calls. Each thread parks by itself, so that the end of one wait costs the same however
 * many others there are; {@link #close()} wakes them all.
 */
final class BlockingWaits implements Sleeper {

    /** By identity: a {@link Thread} may define its own {@code equals}. */
    private final Set<Wait> waits = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    @Override
    public void sleep(Duration delay) throws InterruptedException {
        long end = System.nanoTime() + delay.toNanos();
        Wait wait = new Wait(Thread.currentThread());
        waits.add(wait);
        try {
            // Read after the wait was added: close() sets it before it looks for waits, so one of both sees the other.
            while (!closed) {
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
        CoreLog.debug("a wait of " + delay + " was ended by shutdown", null);
    }

    /** How many threads wait. */
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

    private static final class Wait {

        private final Thread thread;

        private Wait(Thread thread) {
            this.thread = thread;
        }
    }
}
