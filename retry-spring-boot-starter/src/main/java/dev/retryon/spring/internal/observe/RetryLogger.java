/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.observe;

import dev.retryon.DeadLettered;
import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryScheduled;
import dev.retryon.RetrySucceeded;
import dev.retryon.RetryTimer;
import dev.retryon.StopReason;
import dev.retryon.Ticker;
import dev.retryon.backoff.DurationText;
import dev.retryon.spring.internal.report.ExtensionErrors;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs retried calls to {@value #NAME}, with key-values for structured logging. At INFO and above, a retried
 * call writes one line when it ends:
 *
 * <ul>
 *   <li>WARN: it failed for good (exhausted, timed out, out of budget, asked to wait too long, ended by a directive to
 * fail or to become a dead
 *       letter), recovered or not;
 *   <li>INFO: it succeeded in the end, was discarded, cancelled, ended by shutdown or interruption, or failed after a retry
 *       in a way that is not retried;
 *   <li>DEBUG: it failed at its first attempt in a way that is not retried: the caller handles such a failure. Also
 *       each single retry, and each call that was kept as a dead letter.
 * </ul>
 *
 * <p>If many calls of one name end in the same way, the first line is written at once. After that, each interval writes one
 * line about the latest call, with the number of omitted lines, so that an outage does not flood the log. The last line is
 * written by the logger's thread when its interval ends. At DEBUG, no line is omitted.
 *
 * <p>A line names only the class of an error, because messages can contain secrets. At DEBUG, lines contain the message too,
 * and at TRACE the stack trace. If logging fails, the failure is counted and the call continues.
 */
final class RetryLogger implements TelemetryListener, AutoCloseable {

    /** The name of the logger. */
    static final String NAME = "dev.retryon.retries";

    private static final Logger log = LoggerFactory.getLogger(NAME);

    private final Duration interval;

    private final ExtensionErrors faults;

    private final Ticker ticker;

    private final RetryTimer timer;

    private final Map<String, NamedLines> lines = new ConcurrentHashMap<>();

    /**
     * Creates the listener.
     *
     * @param interval how long lines of one name and kind are held back after one was written; zero to write every line
     * @param faults where failing appenders are counted
     * @throws IllegalArgumentException if the interval is negative
     */
    RetryLogger(Duration interval, ExtensionErrors faults) {
        this(interval, faults, System::nanoTime, new LogTimer());
    }

    RetryLogger(Duration interval, ExtensionErrors faults, Ticker ticker, RetryTimer timer) {
        if (interval.isNegative()) {
            throw new IllegalArgumentException("is '" + DurationText.print(interval) + "', but must not be negative");
        }
        this.interval = interval;
        this.faults = faults;
        this.ticker = ticker;
        this.timer = timer;
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
        if (!log.isEnabledForLevel(RetryLine.level(event))) {
            return;
        }
        if (interval.isZero() || log.isDebugEnabled()) {
            write(event, 0);
        } else {
            lines(event).accept(event);
        }
    }

    private HeldLines lines(RetryEvent event) {
        NamedLines named = lines.get(event.name());
        if (named == null) {
            named = lines.computeIfAbsent(
                    event.name(),
                    missing -> new NamedLines(held(), new ConcurrentHashMap<>(), new ConcurrentHashMap<>()));
        }
        if (!(event instanceof RetryFailed failed)) {
            return named.succeeded();
        }
        Map<StopReason, HeldLines> ofReasons = failed.recovered() ? named.recovered() : named.failed();
        HeldLines known = ofReasons.get(failed.reason());
        return known != null ? known : ofReasons.computeIfAbsent(failed.reason(), missing -> held());
    }

    private HeldLines held() {
        return new HeldLines(interval, ticker, timer, this::write);
    }

    /** Never throws. */
    private void write(RetryEvent event, long leftOut) {
        try {
            RetryLine.write(log, event, leftOut);
        } catch (Throwable ex) {
            faults.report(
                    ExtensionErrors.Kind.LOG,
                    event.name(),
                    "a line could not be logged; check the appenders and encoders",
                    ex);
        }
    }

    /** Writes the lines that are held back. Lines that come later are written at once. */
    @Override
    public void close() {
        if (timer instanceof LogTimer own) {
            own.close();
        }
        for (NamedLines named : lines.values()) {
            named.succeeded().flush();
            named.failed().values().forEach(HeldLines::flush);
            named.recovered().values().forEach(HeldLines::flush);
        }
    }

    /**
     * The lines of one name by how calls ended.
     *
     * @param succeeded of calls that succeeded in the end
     * @param failed of calls that failed, by reason
     * @param recovered of calls that were recovered, by reason
     */
    private record NamedLines(
            HeldLines succeeded, Map<StopReason, HeldLines> failed, Map<StopReason, HeldLines> recovered) {}
}
