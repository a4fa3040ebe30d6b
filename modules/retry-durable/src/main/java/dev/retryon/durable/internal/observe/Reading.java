// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.observe;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A value of a store, which may be slow or hang. It is read on demand on a separate thread, by one thread at a time, and
 * reused for some seconds. Thread-safe.
 */
final class Reading<T> {

    /** How long a value is reused before it is read again. */
    private static final Duration FRESH = Duration.ofSeconds(5);

    /** How long a value is reused while the store does not respond. */
    private static final Duration VALID = Duration.ofMinutes(1);

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Callable<T> source;

    private final Consumer<Throwable> onFailure;

    private @Nullable T latest;

    private long latestAt;

    private boolean reading;

    private long nextAt = System.nanoTime();

    Reading(Callable<T> source, Consumer<Throwable> onFailure) {
        this.source = source;
        this.onFailure = onFailure;
    }

    /**
     * Waits for a second at most if the value must be read. Returns {@code null} if none was read within the last
     * minute.
     */
    @Nullable T get() {
        CountDownLatch end = start();
        if (end != null) {
            try {
                var unused = end.await(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
        }
        synchronized (this) {
            return System.nanoTime() - latestAt < VALID.toNanos() ? latest : null;
        }
    }

    /** Begins to read if it is time to and no read is under way. */
    private synchronized @Nullable CountDownLatch start() {
        if (reading || System.nanoTime() - nextAt < 0) {
            return null;
        }
        CountDownLatch end = new CountDownLatch(1);
        Thread thread = new Thread(() -> read(end), "retryon-reading");
        thread.setDaemon(true);
        thread.start();
        reading = true;
        return end;
    }

    private void read(CountDownLatch end) {
        T value = null;
        try {
            value = source.call();
        } catch (Throwable ex) {
            onFailure.accept(ex);
        } finally {
            ended(value);
            end.countDown();
        }
    }

    private synchronized void ended(@Nullable T value) {
        long now = System.nanoTime();
        reading = false;
        nextAt = now + FRESH.toNanos();
        if (value != null) {
            latest = value;
            latestAt = now;
        }
    }
}
