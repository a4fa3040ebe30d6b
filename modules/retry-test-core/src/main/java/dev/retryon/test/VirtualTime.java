// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test;

import dev.retryon.RetryEngine;
import dev.retryon.RetryEngineBuilder;
import dev.retryon.RetryTime;
import dev.retryon.backoff.DurationText;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time for tests. If a blocking call waits, the time advances by the delay, and the call continues immediately.
 *
 * <pre>{@code
 * VirtualTime time = new VirtualTime();
 * Retry retry = Retry.builder("catalogue", policy).engine(time.engine().build()).build();
 * retry.call(() -> client.get(uri));
 * assertThat(time.waits()).containsExactly(ofSeconds(1), ofSeconds(2));
 * }</pre>
 *
 * <p>The delays of asynchronous calls depend on how you create the time:
 *
 * <ul>
 * <li>{@link #VirtualTime() new VirtualTime()}: the test advances the time with {@link #advance}, and the tasks that
 * become due run on the test's thread, in chronological order. The time limits of attempts are also such tasks.
 * <li>{@link #immediate()}: the delay of an asynchronous call also advances the time and ends immediately. Attempts and
 *   their time limits run in real time.
 * </ul>
 *
 * <p>Thread-safe.
 *
 * @since 0.1.0
 */
public final class VirtualTime extends Clock implements RetryTime {

    /** The time of day at which {@code new VirtualTime()} starts. */
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private static final Handle DONE = () -> {};

    private final Instant start;

    private final boolean immediate;

    private final AtomicLong now = new AtomicLong();

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.<Task>comparingLong(task -> task.at).thenComparingLong(task -> task.number));

    private final List<Duration> waits = new ArrayList<>();

    private long numbers;

    /** Creates a time that starts at {@link #START} and that the test advances. */
    public VirtualTime() {
        this(START, false);
    }

    private VirtualTime(Instant start, boolean immediate) {
        this.start = start;
        this.immediate = immediate;
    }

    /**
     * Creates a time that starts at the real time of day. In this time, the delays of asynchronous calls also end
     * immediately.
     *
     * @return a new time
     */
    public static VirtualTime immediate() {
        return new VirtualTime(Instant.now(), true);
    }

    /**
     * Returns a builder for an engine that uses this time. The engine's source of random numbers always returns zero,
     * which gives every run the same delays. To test jitter, set another source.
     *
     * @return a new builder
     */
    public RetryEngineBuilder engine() {
        RetryEngineBuilder engine = RetryEngine.builder().random(() -> 0L);
        applyTo(engine);
        return engine;
    }

    /**
     * Makes an engine use this time.
     *
     * @param engine the builder to change
     */
    public void applyTo(RetryEngineBuilder engine) {
        engine.time(this);
    }

    @Override
    public long nanoTime() {
        return now.get();
    }

    @Override
    public Instant instant() {
        return start.plusNanos(now.get());
    }

    @Override
    public void sleep(Duration delay) {
        synchronized (waits) {
            waits.add(delay);
        }
        advance(delay);
    }

    /**
     * Returns the delays of blocking calls since the start or the last call of {@link #clearWaits()}.
     *
     * @return a copy, in chronological order
     */
    public List<Duration> waits() {
        synchronized (waits) {
            return List.copyOf(waits);
        }
    }

    /** Clears the list of delays. */
    public void clearWaits() {
        synchronized (waits) {
            waits.clear();
        }
    }

    @Override
    public Handle schedule(Runnable task, Duration delay) {
        if (immediate) {
            advance(delay);
            task.run();
            return DONE;
        }
        return enqueue(task, delay);
    }

    @Override
    public Handle limit(Runnable task, Duration delay) {
        if (immediate) {
            Executor later = CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS, Runnable::run);
            CompletableFuture<Void> limit = CompletableFuture.runAsync(task, later);
            return () -> limit.cancel(false);
        }
        return enqueue(task, delay);
    }

    private synchronized Handle enqueue(Runnable task, Duration delay) {
        Task scheduled = new Task(task, now.get() + delay.toNanos(), numbers++);
        tasks.add(scheduled);
        return () -> remove(scheduled);
    }

    private synchronized void remove(Task task) {
        tasks.remove(task);
    }

    /**
     * Returns the number of tasks that are not due yet.
     *
     * @return the number of tasks, 0 or more; always 0 for an {@link #immediate()} time
     */
    public synchronized int pending() {
        return tasks.size();
    }

    /**
     * Advances the time and runs the tasks that become due, in chronological order.
     *
     * @param by the duration by which to advance, not negative
     * @throws IllegalArgumentException if the duration is negative
     */
    public void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("Virtual time cannot go back, but the duration is '"
                    + DurationText.print(by) + "'; use a positive duration");
        }
        long until = now.get() + by.toNanos();
        for (Task task = due(until); task != null; task = due(until)) {
            moveTo(task.at);
            task.run.run();
        }
        moveTo(until);
    }

    /** Advances the time, which never goes back, even if several threads advance it at the same time. */
    private void moveTo(long until) {
        now.accumulateAndGet(until, Math::max);
    }

    private synchronized @Nullable Task due(long until) {
        Task first = tasks.peek();
        return first == null || first.at > until ? null : tasks.poll();
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    /**
     * Returns this clock, because virtual time supports UTC only.
     *
     * @param zone ignored
     * @return this
     */
    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }

    private record Task(Runnable run, long at, long number) {}
}
