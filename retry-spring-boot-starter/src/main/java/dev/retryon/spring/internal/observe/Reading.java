/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.observe;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A value that is read from a store, which may be slow or hang. It is read on demand, on its own thread, by one
 * thread at a time, and kept for some seconds. The caller waits for a second at most. Thread-safe.
 *
 * @param <T> the type of the value
 */
public final class Reading<T> {

    /** For so long a value is given out without being read again. */
    static final Duration FRESH = Duration.ofSeconds(5);

    /** For so long a value is given out while none can be read. */
    private static final Duration VALID = Duration.ofMinutes(1);

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Callable<T> source;

    private final Consumer<Throwable> onFailure;

    private @Nullable T latest;

    private long latestAt;

    private boolean reading;

    private long nextAt = System.nanoTime();

    /**
     * Reads nothing yet.
     *
     * @param source reads the value
     * @param onFailure takes the errors of the source
     */
    public Reading(Callable<T> source, Consumer<Throwable> onFailure) {
        this.source = source;
        this.onFailure = onFailure;
    }

    /**
     * Waits for a second at most if the value must be read. Returns {@code null} if none was read within the last
     * minute.
     */
    public @Nullable T get() {
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
