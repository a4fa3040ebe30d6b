// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.StopReason;
import dev.retryon.spring.internal.report.TagValues;
import dev.retryon.spring.module.ExtensionErrors;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs retried calls, with key-values for structured logging. {@link RetryLine#level} chooses the level.
 *
 * <p>If many calls of one name end in the same way, only one line per interval is written, with the number of lines omitted
 * before it, so that an outage does not flood the log. At DEBUG, no line is omitted.
 *
 * <p>A line names only the class of an error, because messages can contain secrets. At DEBUG, lines also contain the
 * message, and at TRACE the stack trace. If logging fails, the failure is counted and the call continues.
 */
public final class RetryLogger implements RetryListener, AutoCloseable {

    static final String NAME = "dev.retryon.retries";

    private static final Logger log = LoggerFactory.getLogger(NAME);

    private final Duration interval;

    private final TagValues names;

    private final ExtensionErrors errors;

    private final LongSupplier nanoTime;

    private final Map<Ending, Lines> lines = new ConcurrentHashMap<>();

    /**
     * Creates a logger that writes to {@code dev.retryon.retries}.
     *
     * @param interval minimum time between two lines of one name and kind; zero or less writes every line
     * @param names the names that are shown separately; all other names share one line
     */
    public RetryLogger(Duration interval, TagValues names, ExtensionErrors errors) {
        this(interval, names, errors, System::nanoTime);
    }

    RetryLogger(Duration interval, TagValues names, ExtensionErrors errors, LongSupplier nanoTime) {
        this.interval = interval;
        this.names = names;
        this.errors = errors;
        this.nanoTime = nanoTime;
    }

    @Override
    public void onEvent(RetryEvent event) {
        Level level = RetryLine.level(event);
        if (!log.isEnabledForLevel(level)) {
            return;
        }
        long omitted = interval.compareTo(Duration.ZERO) <= 0 || log.isDebugEnabled()
                ? 0
                : linesLike(event, level).next();
        if (omitted == Lines.OMIT) {
            return;
        }
        try {
            RetryLine.write(log, level, event, omitted);
        } catch (Throwable ex) {
            errors.report(
                    ExtensionErrorListener.Kind.LOG,
                    event.name(),
                    "a line could not be logged; check the appenders and encoders",
                    ex);
        }
    }

    private Lines linesLike(RetryEvent event, Level level) {
        RetryOutcome outcome = Objects.requireNonNull(RetryOutcome.of(event)); // other events are logged at DEBUG only
        Ending ending = new Ending(names.of(event.name()), outcome, RetryLine.reason(event), level);
        return lines.computeIfAbsent(ending, missing -> new Lines());
    }

    /** Writes how many lines were omitted after the last ones. */
    @Override
    public void close() {
        lines.forEach((ending, similar) -> {
            long omitted = similar.takeOmitted();
            if (omitted > 0) {
                RetryLine.writeOmitted(log, ending, omitted);
            }
        });
    }

    /** The values that two lines must share to count as similar. */
    record Ending(
            String name, RetryOutcome outcome, @Nullable StopReason reason, Level level) {

        /** Is not generated, because JDK 17 keeps the last class whose generated method was linked, and so the application. */
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Ending that
                    && name.equals(that.name)
                    && outcome == that.outcome
                    && reason == that.reason
                    && level == that.level;
        }

        @Override
        public int hashCode() {
            return Objects.hash(name, outcome, reason, level);
        }
    }

    /** The similar lines: when the next one may be written, and how many were omitted since the last one. */
    private final class Lines {

        static final long OMIT = -1;

        private long next = nanoTime.getAsLong();

        private long omitted;

        /** Returns the number of lines that were omitted before this one, or {@link #OMIT} if it is omitted too. */
        synchronized long next() {
            long now = nanoTime.getAsLong();
            if (now - next < 0) {
                omitted++;
                return OMIT;
            }
            next = now + interval.toNanos();
            return takeOmitted();
        }

        synchronized long takeOmitted() {
            long taken = omitted;
            omitted = 0;
            return taken;
        }
    }
}
