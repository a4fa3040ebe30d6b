/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.observe;

import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import dev.retryon.RetrySucceeded;
import dev.retryon.StopReason;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs retried calls to {@value #NAME}, with key-values for structured logging. At INFO and above, a call that was
 * retried leaves exactly one line, at its end:
 *
 * <ul>
 *   <li>WARN: it gave up (exhausted, timed out, out of budget, asked to wait too long), recovered or not;
 *   <li>INFO: it succeeded in the end, was ended by shutdown or interruption, or failed after a retry in a way that is
 *       not retried;
 *   <li>DEBUG: it failed at its first attempt in a way that is not retried: that is the business of its caller. Also
 *       each single retry.
 * </ul>
 *
 * <p>An error is named by its class alone, for messages may hold secrets; with DEBUG on, every line has its message too,
 * and with TRACE on its stack trace.
 */
public class RetryLogger implements RetryListener {

    /** The name of the logger. */
    public static final String NAME = "dev.retryon.retries";

    private static final Logger log = LoggerFactory.getLogger(NAME);

    private static final String RETRY_NAME = "retry.name";

    private static final String RETRY_ATTEMPT = "retry.attempt";

    /** Creates the listener. */
    public RetryLogger() {}

    @Override
    public boolean wants(Class<? extends RetryEvent> type) {
        // A failure may be a warning; whether it is one, the event says.
        return log.isEnabledForLevel(
                type == RetryScheduled.class ? Level.DEBUG : type == RetrySucceeded.class ? Level.INFO : Level.WARN);
    }

    @Override
    public void onEvent(RetryEvent event) {
        Level level = level(event);
        if (!log.isEnabledForLevel(level)) {
            return;
        }
        LoggingEventBuilder line = log.atLevel(level)
                .addKeyValue(RETRY_NAME, event.name())
                .addKeyValue(RETRY_ATTEMPT, event.attempt())
                .addKeyValue("retry.retries", event.attempt() - 1);
        Throwable error = event.error();
        if (error != null) {
            line = line.addKeyValue("retry.exception", error.getClass().getName());
            line = log.isTraceEnabled() ? line.setCause(error) : line;
        }
        if (event instanceof RetryScheduled retry) {
            line = line.addKeyValue("retry.delay", retry.delay().toString());
        } else {
            line = line.addKeyValue(
                            "retry.outcome",
                            Objects.requireNonNull(RetryOutcome.of(event)).tag())
                    .addKeyValue("retry.reason", RetryOutcome.tag(reason(event)));
        }
        log(line.setMessage(message(event)));
    }

    private static Level level(RetryEvent event) {
        if (event instanceof RetryScheduled) {
            return Level.DEBUG;
        }
        StopReason reason = reason(event);
        if (reason == null) {
            return Level.INFO;
        }
        return switch (reason) {
            case EXHAUSTED, TIMEOUT, BUDGET, DELAY_TOO_LONG, FAIL, DEAD_LETTER -> Level.WARN;
            case SHUTDOWN, INTERRUPTED, CANCELLED, DISCARD -> Level.INFO;
            case NOT_RETRYABLE, REJECTED -> event.attempt() > 1 ? Level.INFO : Level.DEBUG;
        };
    }

    private static @Nullable StopReason reason(RetryEvent event) {
        return event instanceof RetryFailed failed ? failed.reason() : null;
    }

    private static String message(RetryEvent event) {
        StringBuilder text = new StringBuilder(event.name()).append(": ");
        if (event instanceof RetryScheduled retry) {
            text.append("attempt ").append(attempts(event)).append(" failed, retry in ");
            text.append(ShortDuration.of(retry.delay())).append("; ");
        } else if (event instanceof RetryFailed failed) {
            text.append(failed.recovered() ? "recovered" : "failed").append(" after attempt ");
            text.append(attempts(event)).append(" in ").append(ShortDuration.of(event.elapsed()));
            text.append(", ").append(RetryOutcome.tag(failed.reason())).append("; ");
        } else {
            text.append("succeeded at attempt ").append(attempts(event)).append(" in ");
            text.append(ShortDuration.of(event.elapsed())).append("; last failure: ");
        }
        return text.append(failure(event.error())).toString();
    }

    private static String attempts(RetryEvent event) {
        return event.maxAttempts() == Integer.MAX_VALUE
                ? Integer.toString(event.attempt())
                : event.attempt() + " of " + event.maxAttempts();
    }

    private static String failure(@Nullable Throwable error) {
        if (error == null) {
            return "the returned value is to be retried";
        }
        return log.isDebugEnabled() ? error.toString() : error.getClass().getName();
    }

    /** Logs without the log context of an attempt around this call: structured formats refuse a name twice. */
    private static void log(LoggingEventBuilder line) {
        String name = MDC.get(RETRY_NAME);
        String attempt = MDC.get(RETRY_ATTEMPT);
        if (name == null && attempt == null) {
            line.log();
            return;
        }
        MDC.remove(RETRY_NAME);
        MDC.remove(RETRY_ATTEMPT);
        try {
            line.log();
        } finally {
            restore(RETRY_NAME, name);
            restore(RETRY_ATTEMPT, attempt);
        }
    }

    private static void restore(String key, @Nullable String value) {
        if (value != null) {
            MDC.put(key, value);
        }
    }
}
