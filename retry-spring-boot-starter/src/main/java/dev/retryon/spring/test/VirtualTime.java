/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.test;

import dev.retryon.RetryTimer;
import dev.retryon.Sleeper;
import dev.retryon.Ticker;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Time that passes by being waited for. */
final class VirtualTime extends Clock implements Ticker, Sleeper, RetryTimer {

    private static final Handle NOTHING = () -> {};

    private final Instant start = Instant.now();

    private final AtomicLong nanos = new AtomicLong();

    void advance(Duration by) {
        nanos.addAndGet(by.toNanos());
    }

    @Override
    public long read() {
        return nanos.get();
    }

    @Override
    public void sleep(Duration delay) {
        advance(delay);
    }

    /** The wait of an asynchronous call is over at once. */
    @Override
    public Handle schedule(Runnable task, Duration delay) {
        advance(delay);
        task.run();
        return NOTHING;
    }

    /** Attempts run in real time, so that is where their limits are. */
    @Override
    public Handle limit(Runnable task, Duration delay) {
        Executor later = CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS, Runnable::run);
        CompletableFuture<Void> limit = CompletableFuture.runAsync(task, later);
        return () -> limit.cancel(false);
    }

    @Override
    public Instant instant() {
        return start.plusNanos(nanos.get());
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
