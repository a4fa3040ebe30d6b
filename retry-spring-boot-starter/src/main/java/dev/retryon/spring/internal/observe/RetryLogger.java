// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.DeadLettered;
import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryScheduled;
import dev.retryon.RetrySucceeded;
import dev.retryon.RetryTime;
import dev.retryon.StopReason;
import dev.retryon.backoff.DurationText;
import dev.retryon.spring.internal.report.ExtensionErrors;
import dev.retryon.spring.internal.report.TagValues;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Logs retried calls, with key-values for structured logging. {@link RetryLine#level} chooses the level.
 *
 * <p>If many calls of one name end in the same way, {@link HeldLines} writes one line per interval, so that an outage
 * does not flood the log. At DEBUG, no line is omitted.
 *
 * <p>A line names only the class of an error, because messages can contain secrets. At DEBUG, lines contain the message
 * too, and at TRACE the stack trace. If logging fails, the failure is counted and the call continues.
 */
final class RetryLogger implements TelemetryListener, AutoCloseable {

    static final String NAME = "dev.retryon.retries";

    private static final Logger log = LoggerFactory.getLogger(NAME);

    private final Duration interval;

    private final TagValues names;

    private final ExtensionErrors faults;

    private final LongSupplier ticker;

    private final BiFunction<Runnable, Duration, RetryTime.Handle> timer;

    /** Separate from the engine's timer, because an appender may hang. Has a thread only while lines wait. */
    private final ScheduledThreadPoolExecutor threads;

    private final Map<String, NamedLines> lines = new ConcurrentHashMap<>();

    /** Set while this thread writes a line. Calls that appenders run then leave no lines, or these would never end. */
    private final ThreadLocal<Boolean> writing = new ThreadLocal<>();

    /** Throws IllegalArgumentException if the interval is negative; zero writes every line. */
    RetryLogger(Duration interval, TagValues names, ExtensionErrors faults) {
        this(interval, names, faults, System::nanoTime, null);
    }

    /** Without a timer, lines wait for the logger's own thread. */
    RetryLogger(
            Duration interval,
            TagValues names,
            ExtensionErrors faults,
            LongSupplier ticker,
            @Nullable BiFunction<Runnable, Duration, RetryTime.Handle> timer) {
        if (interval.isNegative()) {
            throw new IllegalArgumentException("is '" + DurationText.print(interval) + "', but must not be negative");
        }
        this.interval = interval;
        this.names = names;
        this.faults = faults;
        this.ticker = ticker;
        this.timer = timer != null ? timer : this::schedule;
        CustomizableThreadFactory daemons = new CustomizableThreadFactory("retryon-log-");
        daemons.setDaemon(true);
        this.threads = new ScheduledThreadPoolExecutor(1, daemons);
        threads.setKeepAliveTime(5, TimeUnit.SECONDS);
        threads.allowCoreThreadTimeOut(true);
    }

    private RetryTime.Handle schedule(Runnable task, Duration delay) {
        Future<?> future = threads.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    @Override
    public ExtensionErrors.Kind faultKind() {
        return ExtensionErrors.Kind.LOG;
    }

    @Override
    public boolean wants(Class<? extends RetryEvent> type) {
        // A failure may be a warning; the event decides.
        if (type == RetryScheduled.class || type == DeadLettered.class) {
            return log.isDebugEnabled();
        }
        return log.isEnabledForLevel(type == RetrySucceeded.class ? Level.INFO : Level.WARN);
    }

    @Override
    public void onEvent(RetryEvent event) {
        if (writing.get() != null || !log.isEnabledForLevel(RetryLine.level(event))) {
            return;
        }
        if (interval.isZero() || log.isDebugEnabled()) {
            write(event, 0);
        } else {
            String name = names.of(event.name());
            NamedLines named = lines.get(name);
            if (named == null) {
                named = lines.computeIfAbsent(name, missing -> new NamedLines(this::held));
            }
            named.of(event).accept(event);
        }
    }

    private HeldLines held() {
        return new HeldLines(interval, ticker, timer, this::write);
    }

    /** Never throws. */
    private void write(RetryEvent event, long leftOut) {
        writing.set(true);
        try {
            RetryLine.write(log, event, leftOut);
        } catch (Throwable ex) {
            faults.report(
                    ExtensionErrors.Kind.LOG,
                    event.name(),
                    "a line could not be logged; check the appenders and encoders",
                    ex);
        } finally {
            writing.remove();
        }
    }

    /** Writes the lines that are held back. Lines that come later are written at once. */
    @Override
    public void close() {
        threads.shutdownNow();
        lines.values().forEach(NamedLines::flush);
    }

    /** The lines about calls of one name, by their ends. */
    private static final class NamedLines {

        private final HeldLines succeeded;

        private final Map<StopReason, HeldLines> failed = new EnumMap<>(StopReason.class);

        private final Map<StopReason, HeldLines> recovered = new EnumMap<>(StopReason.class);

        NamedLines(Supplier<HeldLines> held) {
            succeeded = held.get();
            for (StopReason reason : StopReason.values()) {
                failed.put(reason, held.get());
                recovered.put(reason, held.get());
            }
        }

        HeldLines of(RetryEvent event) {
            return event instanceof RetryFailed failure
                    ? Objects.requireNonNull((failure.recovered() ? recovered : failed).get(failure.reason()))
                    : succeeded;
        }

        void flush() {
            succeeded.flush();
            failed.values().forEach(HeldLines::flush);
            recovered.values().forEach(HeldLines::flush);
        }
    }
}
