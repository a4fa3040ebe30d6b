// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.RetryEvent;
import dev.retryon.RetryTime;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The lines of one name and one kind of ending. The first line is written at once. Lines that follow within an interval
 * wait. When it ends, the latest line is written with the number of omitted lines. An outage therefore writes its first
 * line, its last line, and one line per interval between them. Thread-safe; never throws if the writer does not.
 */
final class HeldLines {

    private final Duration interval;

    private final LongSupplier ticker;

    private final BiFunction<Runnable, Duration, RetryTime.Handle> timer;

    /** Writes a line about an event, with the number of events that were left out before it. Runs without a lock. */
    private final ObjLongConsumer<RetryEvent> writer;

    private @Nullable Line waiting;

    /** The time from which the next line may be written. */
    private long next;

    private boolean scheduled;

    HeldLines(
            Duration interval,
            LongSupplier ticker,
            BiFunction<Runnable, Duration, RetryTime.Handle> timer,
            ObjLongConsumer<RetryEvent> writer) {
        this.interval = interval;
        this.ticker = ticker;
        this.timer = timer;
        this.writer = writer;
        this.next = ticker.getAsLong();
    }

    void accept(RetryEvent event) {
        write(add(event));
    }

    /** Writes the line that waits, if there is one. */
    void flush() {
        write(take());
    }

    /** Returns the line to write at once; {@code null} if it waits. */
    private synchronized @Nullable Line add(RetryEvent event) {
        waiting = new Line(event, waiting == null ? 0 : waiting.leftOut() + 1);
        if (!scheduled) {
            scheduled = schedule(next - ticker.getAsLong());
        }
        return scheduled ? null : take();
    }

    private boolean schedule(long nanos) {
        if (nanos <= 0) {
            return false;
        }
        try {
            var unused = timer.apply(this::flush, Duration.ofNanos(nanos));
            return true;
        } catch (Throwable ex) {
            return false; // nothing would write the line later
        }
    }

    private synchronized @Nullable Line take() {
        Line line = waiting;
        waiting = null;
        scheduled = false;
        if (line != null) {
            next = ticker.getAsLong() + interval.toNanos();
        }
        return line;
    }

    private void write(@Nullable Line line) {
        if (line != null) {
            writer.accept(line.event(), line.leftOut());
        }
    }

    private record Line(RetryEvent event, long leftOut) {}
}
