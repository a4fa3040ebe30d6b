/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.observe;

import dev.retryon.RetryEvent;
import dev.retryon.RetryTimer;
import dev.retryon.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The lines of one name and one kind of ending. The first is written at once. Those that follow within an interval are held
 * back: at its end the latest of them is written, with the number of the others. So the first and the last line of an outage
 * are always written, and of those between one an interval. Thread-safe; never throws if the writer does not.
 */
final class HeldLines {

    private final Duration interval;

    private final Ticker ticker;

    private final RetryTimer timer;

    /** Writes a line about an event, with the number of events that were left out before it. */
    private final ObjLongConsumer<RetryEvent> writer;

    /** When the next line may be written. */
    private final AtomicLong next;

    private final AtomicReference<@Nullable Held> held = new AtomicReference<>();

    private final AtomicBoolean scheduled = new AtomicBoolean();

    HeldLines(Duration interval, Ticker ticker, RetryTimer timer, ObjLongConsumer<RetryEvent> writer) {
        this.interval = interval;
        this.ticker = ticker;
        this.timer = timer;
        this.writer = writer;
        this.next = new AtomicLong(ticker.read());
    }

    void accept(RetryEvent event) {
        // While a line is scheduled, the time is not needed.
        if (!scheduled.get() && isWrittenAtOnce(event)) {
            return;
        }
        Held before;
        do {
            before = held.get();
        } while (!held.compareAndSet(before, new Held(event, before == null ? 1 : before.count() + 1)));
        if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
            schedule(next.get() - ticker.read());
        }
    }

    private boolean isWrittenAtOnce(RetryEvent event) {
        long now = ticker.read();
        long allowed = next.get();
        if (now - allowed < 0 || !next.compareAndSet(allowed, now + interval.toNanos())) {
            return false;
        }
        Held before = held.getAndSet(null);
        writer.accept(event, before == null ? 0 : before.count());
        return true;
    }

    private void schedule(long nanos) {
        try {
            timer.schedule(this::intervalEnded, Duration.ofNanos(Math.max(1, nanos)));
        } catch (Throwable ex) {
            // Nobody would write it later.
            flush();
        }
    }

    private void intervalEnded() {
        long wait = next.get() - ticker.read();
        if (wait > 0 && held.get() != null) {
            schedule(wait);
        } else {
            flush();
        }
    }

    /** Writes what is held back. */
    void flush() {
        scheduled.set(false);
        Held last = held.getAndSet(null);
        if (last != null) {
            next.set(ticker.read() + interval.toNanos());
            writer.accept(last.event(), last.count() - 1);
        }
    }

    /**
     * Events that were not written yet.
     *
     * @param event the latest
     * @param count how many, the latest included
     */
    private record Held(RetryEvent event, long count) {}
}
