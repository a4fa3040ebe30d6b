// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value of a store, which may be slow or hang. It is read on demand on a separate thread, by one thread at a time, and
 * reused for some seconds. Thread-safe.
 */
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

    /** Nothing is read before, because the latest reading has failed. */
    private long nextAt = System.nanoTime();

    /**
     * Creates a reading.
     *
     * @param source prepares to read, on the thread that asks for the value; the result reads, on another thread. A result of
     *     {@code null} is no value
     */
    public Reading(Supplier<Callable<T>> source, Consumer<Throwable> onFailure) {
        this.source = source;
        this.onFailure = onFailure;
    }

    /** Waits for a second at most if the value must be read. Returns {@code null} if none was read within the last minute. */
    public @Nullable T get() {
        if (start(FRESH)) {
            await(System.nanoTime() + PATIENCE.toNanos());
        }
        return latest(VALID);
    }

    /** Returns the latest value; {@code null} if it is older than an age. */
    public synchronized @Nullable T latest(Duration age) {
        return isOlderThan(age) ? null : latest;
    }

    public synchronized boolean isOlderThan(Duration age) {
        return latest == null || System.nanoTime() - latestAt >= age.toNanos();
    }

    /**
     * Begins to read if the latest value is older than an age.
     *
     * @return {@code false} if not, also because a reading is under way or has just failed
     */
    public synchronized boolean start(Duration age) {
        if (reading != null || !isOlderThan(age) || System.nanoTime() - nextAt < 0) {
            return false;
        }
        Callable<T> read = source.get();
        reading = new CountDownLatch(1);
        // In its own thread: a statement that fails must not end the transaction of the caller.
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

    /** Waits for the reading that is under way, if there is one, until a time of {@link System#nanoTime()}. */
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
