// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A value from a store that can hang, read on demand on one separate thread, and reused for some seconds. Thread-safe. */
public final class Reading<T> {

    /** How long a value is reused before it is read again. */
    public static final Duration FRESH = Duration.ofSeconds(5);

    /** The longest time that a caller waits for a value. */
    public static final Duration PATIENCE = Duration.ofSeconds(1);

    /** How long a value is reused while the store does not respond. */
    private static final Duration VALID = Duration.ofMinutes(1);

    private final Supplier<Callable<T>> source;

    private final Consumer<Throwable> onFailure;

    private @Nullable T latest;

    private long latestAt;

    private @Nullable CountDownLatch reading;

    /** The time before which the store is not read, because the latest reading has failed. */
    private long nextAt = System.nanoTime();

    /**
     * Creates a reading. The source runs on the requesting thread, and its result reads the value on another thread. If
     * the result returns {@code null}, the reading has no value.
     */
    public Reading(Supplier<Callable<T>> source, Consumer<Throwable> onFailure) {
        this.source = source;
        this.onFailure = onFailure;
    }

    /** Returns the value, and waits at most a second if it must be read; {@code null} without a value from the last minute. */
    public @Nullable T get() {
        if (start(FRESH)) {
            await(System.nanoTime() + PATIENCE.toNanos());
        }
        return latest(VALID);
    }

    /** Returns the latest value, or {@code null} if it is older than the given age. */
    public synchronized @Nullable T latest(Duration age) {
        return isOlderThan(age) ? null : latest;
    }

    public synchronized boolean isOlderThan(Duration age) {
        return latest == null || System.nanoTime() - latestAt >= age.toNanos();
    }

    /**
     * Begins to read if the latest value is older than the given age. Returns {@code false} if no reading was started,
     * also because one is in progress or has just failed.
     */
    public synchronized boolean start(Duration age) {
        if (reading != null || !isOlderThan(age) || System.nanoTime() - nextAt < 0) {
            return false;
        }
        Callable<T> read = source.get();
        reading = new CountDownLatch(1);
        // In its own thread, because a failing statement must not end the caller's transaction.
        Thread thread = new Thread(() -> read(read), "retryon-reading");
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (Throwable ex) {
            onFailure.accept(ex);
            ended(null);
        }
        return true;
    }

    /** Waits for the current reading, if one is in progress, until the given time of {@link System#nanoTime()}. */
    public void await(long end) {
        CountDownLatch current;
        synchronized (this) {
            current = reading;
        }
        try {
            if (current != null) {
                var unused = current.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private void read(Callable<T> read) {
        T value = null;
        try {
            value = read.call();
        } catch (Throwable ex) {
            onFailure.accept(ex);
        } finally {
            ended(value);
        }
    }

    private synchronized void ended(@Nullable T value) {
        long now = System.nanoTime();
        if (value != null) {
            latest = value;
            latestAt = now;
        } else {
            nextAt = now + FRESH.toNanos();
        }
        if (reading != null) {
            reading.countDown();
            reading = null;
        }
    }
}
