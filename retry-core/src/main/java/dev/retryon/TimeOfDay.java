/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The time of day of events. The system's clock is read once a second, and between those readings the time follows from the
 * ticker, which an event reads anyway: to read the clock as well took some 30 ns of each event. If another clock or ticker is
 * set, the clock is read for each event, because the two may not run at the same speed. Thread-safe.
 */
final class TimeOfDay {

    private static final long KEPT = TimeUnit.SECONDS.toNanos(1);

    /** If a reading took longer, the thread was paused, and the tick that belongs to the time is not known. */
    private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(1);

    private final Clock clock;

    private final Ticker ticker;

    /** Whether both are the system's, and so run alike. */
    private final boolean alike;

    private volatile @Nullable Reading last;

    TimeOfDay(Clock clock, Ticker ticker, boolean alike) {
        this.clock = clock;
        this.ticker = ticker;
        this.alike = alike;
    }

    /**
     * The reading from which the time of a tick is calculated.
     *
     * @param tick the current tick
     */
    Reading at(long tick) {
        Reading known = last;
        return known != null && tick - known.tick() < KEPT ? known : read(tick);
    }

    private Reading read(long tick) {
        Instant time = clock.instant();
        if (!alike) {
            return new Reading(time, tick);
        }
        // The later tick, so that no event is in the future.
        long now = ticker.read();
        if (now - tick > LONGEST) {
            return new Reading(time, tick);
        }
        Reading read = new Reading(time, now);
        last = read;
        return read;
    }

    /**
     * A reading of the clock.
     *
     * @param time the time of day
     * @param tick the tick at that time
     */
    record Reading(Instant time, long tick) {}
}
