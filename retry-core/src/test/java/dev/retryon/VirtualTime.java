/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Time that passes only while a blocking call waits, or when a test says so. Tasks that become due run on the thread that
 * moves it.
 */
final class VirtualTime extends Clock implements RetryTimer, Ticker, Sleeper {

    /** The time of day at the beginning. */
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final AtomicLong now = new AtomicLong();

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.<Task>comparingLong(task -> task.at).thenComparingLong(task -> task.number));

    private final List<Duration> waits = new CopyOnWriteArrayList<>();

    private long numbers;

    /** An engine that lives in this time, and whose chance always gives the lowest value. */
    RetryEngineBuilder engine() {
        return RetryEngine.builder()
                .ticker(this)
                .sleeper(this)
                .timer(this)
                .clock(this)
                .random(() -> 0L);
    }

    @Override
    public long read() {
        return now.get();
    }

    @Override
    public Instant instant() {
        return START.plusNanos(now.get());
    }

    @Override
    public void sleep(Duration delay) {
        waits.add(delay);
        advance(delay);
    }

    /** What blocking calls have waited, in order. */
    List<Duration> waits() {
        return waits;
    }

    @Override
    public synchronized Handle schedule(Runnable task, Duration delay) {
        Task scheduled = new Task(task, now.get() + delay.toNanos(), numbers++);
        tasks.add(scheduled);
        return () -> remove(scheduled);
    }

    private synchronized void remove(Task task) {
        tasks.remove(task);
    }

    /** How many tasks there are. */
    synchronized int pending() {
        return tasks.size();
    }

    /** Moves time on, and runs what becomes due on the way, each task at its time. */
    void advance(Duration by) {
        long until = now.get() + by.toNanos();
        for (Task task = due(until); task != null; task = due(until)) {
            moveTo(task.at);
            task.run.run();
        }
        moveTo(until);
    }

    /** Never back, whoever else moves it at the same time. */
    private void moveTo(long until) {
        now.accumulateAndGet(until, Math::max);
    }

    private synchronized Task due(long until) {
        return tasks.isEmpty() || tasks.peek().at > until ? null : tasks.poll();
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        throw new AssertionError("nothing here has a zone");
    }

    private record Task(Runnable run, long at, long number) {}
}
