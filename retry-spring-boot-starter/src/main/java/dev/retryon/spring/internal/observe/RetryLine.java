// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.DeadLettered;
import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryScheduled;
import dev.retryon.RetrySucceeded;
import dev.retryon.StopReason;
import dev.retryon.spring.internal.report.AttemptLogContext;
import dev.retryon.spring.module.NamedError;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/** One log line, with its key-values. */
final class RetryLine {

    private static final String RETRY_OUTCOME = "retry.outcome";

    private static final String RETRY_REASON = "retry.reason";

    private static final String RETRY_LEFT_OUT = "retry.left-out";

    private RetryLine() {}

    /**
     * Returns the level of the line about an event. A retried call has one line at INFO or above: WARN if it failed
     * permanently, recovered or not; INFO if it succeeded in the end, was ended from outside, or failed after a retry
     * with an error that is not retried. A call that is not retried at all is logged at DEBUG, because its caller handles
     * the error.
     */
    static Level level(RetryEvent event) {
        if (event instanceof RetryScheduled || event instanceof DeadLettered) {
            return Level.DEBUG;
        }
        StopReason reason = reason(event);
        if (reason == null) {
            return Level.INFO;
        }
        return switch (reason) {
            case EXHAUSTED, TIMEOUT, BUDGET, DELAY_TOO_LONG, ROLLBACK_ONLY, FAIL, DEAD_LETTER, UNRESOLVABLE ->
                Level.WARN;
            case SHUTDOWN, SWITCHED_OFF, INTERRUPTED, CANCELLED, DISCARD -> Level.INFO;
            case NOT_RETRYABLE, REJECTED -> event.attempt() > 1 ? Level.INFO : Level.DEBUG;
        };
    }

    /** Writes a line about an event; {@code leftOut} similar lines were omitted. */
    static void write(Logger log, Level level, RetryEvent event, long leftOut) {
        LoggingEventBuilder line = log.atLevel(level)
                .addKeyValue(AttemptLogContext.NAME, event.name())
                .addKeyValue(AttemptLogContext.ATTEMPT, event.attempt())
                .addKeyValue(AttemptLogContext.MAX_ATTEMPTS, event.maxAttempts())
                .addKeyValue("retry.retries", event.attempt() - 1);
        Throwable error = event.error();
        if (error != null) {
            line = line.addKeyValue("retry.exception", error.getClass().getName());
            line = log.isTraceEnabled() ? line.setCause(error) : line;
        }
        if (event instanceof RetryScheduled retry) {
            line = line.addKeyValue("retry.delay", retry.delay().toString());
        } else if (event instanceof DeadLettered) {
            line = line.addKeyValue("retry.call-id", event.callId());
        } else {
            line = line.addKeyValue(
                            RETRY_OUTCOME,
                            Objects.requireNonNull(RetryOutcome.of(event)).tag())
                    .addKeyValue(RETRY_REASON, RetryOutcome.tag(reason(event)));
        }
        if (leftOut > 0) {
            line = line.addKeyValue(RETRY_LEFT_OUT, leftOut);
        }
        log(line.setMessage(message(log, event, leftOut)));
    }

    /** Writes that {@code leftOut} lines were omitted and that no similar line follows. */
    static void writeOmitted(Logger log, RetryLogger.Ending ending, long leftOut) {
        String outcome = ending.outcome().tag();
        String reason = RetryOutcome.tag(ending.reason());
        log(log.atLevel(ending.level())
                .addKeyValue(AttemptLogContext.NAME, ending.name())
                .addKeyValue(RETRY_OUTCOME, outcome)
                .addKeyValue(RETRY_REASON, reason)
                .addKeyValue(RETRY_LEFT_OUT, leftOut)
                .setMessage(ending.name() + ": " + end(ending) + "; " + omitted(leftOut)));
    }

    private static String end(RetryLogger.Ending ending) {
        String reason = ending.reason() == null ? "" : ", " + RetryOutcome.tag(ending.reason());
        return switch (ending.outcome()) {
            case SUCCESS, SUCCESS_AFTER_RETRY -> "succeeded after a retry";
            case RECOVERED -> "recovered" + reason;
            case FAILURE -> "failed" + reason;
            case CANCELLED -> "cancelled";
        };
    }

    private static String omitted(long leftOut) {
        return leftOut + (leftOut == 1 ? " similar line was" : " similar lines were") + " omitted";
    }

    static @Nullable StopReason reason(RetryEvent event) {
        return event instanceof RetryFailed failed ? failed.reason() : null;
    }

    private static String message(Logger log, RetryEvent event, long leftOut) {
        StringBuilder text = new StringBuilder(event.name()).append(": ");
        if (event instanceof RetryScheduled retry) {
            text.append("attempt ").append(attempts(event)).append(" failed, retry in ");
            text.append(shortText(retry.delay())).append("; ").append(failure(log, event));
        } else if (event instanceof DeadLettered) {
            text.append("stored as dead letter ").append(event.callId());
            text.append(" after attempt ").append(attempts(event));
            text.append("; ").append(failure(log, event));
        } else if (event instanceof RetryFailed failed) {
            text.append(ending(failed)).append(attempts(event)).append(time(event));
            if (failed.reason() != StopReason.CANCELLED) {
                text.append(", ").append(RetryOutcome.tag(failed.reason()));
                text.append("; ").append(failure(log, event));
            } else if (event.error() != null) {
                text.append("; last failure: ").append(failure(log, event));
            }
        } else {
            text.append("succeeded at attempt ").append(attempts(event)).append(time(event));
            text.append("; last failure: ").append(failure(log, event));
        }
        if (leftOut > 0) {
            text.append(" (").append(omitted(leftOut)).append(")");
        }
        return text.toString();
    }

    private static String time(RetryEvent event) {
        return event.attempt() == 1 ? "" : ", " + shortText(event.sinceFirstFailure()) + " after the first failure";
    }

    /** Formats a duration to the millisecond, such as {@code 0.512s} or {@code 2m30s}. */
    static String shortText(Duration duration) {
        return duration.truncatedTo(ChronoUnit.MILLIS).toString().substring(2).toLowerCase(Locale.ROOT);
    }

    private static String ending(RetryFailed failed) {
        if (failed.reason() == StopReason.CANCELLED) {
            return "cancelled during or after attempt ";
        }
        return failed.recovered() ? "recovered after attempt " : "failed after attempt ";
    }

    private static String attempts(RetryEvent event) {
        return event.maxAttempts() == Integer.MAX_VALUE
                ? Integer.toString(event.attempt())
                : event.attempt() + " of " + event.maxAttempts();
    }

    private static String failure(Logger log, RetryEvent event) {
        Throwable error = event.error();
        if (error == null) {
            String stored = event instanceof RetrySucceeded succeeded ? succeeded.errorType() : null;
            return stored == null ? "the returned value requires a retry" : stored;
        }
        if (log.isDebugEnabled()) {
            return error.toString();
        }
        String type = error.getClass().getName();
        return error instanceof NamedError ? type + " (" + NamedError.of(error) + ")" : type;
    }

    /** Logs without the log context of an enclosing attempt, because structured formats reject duplicate names. */
    private static void log(LoggingEventBuilder line) {
        try (AttemptLogContext enclosing = AttemptLogContext.none()) {
            line.log();
        }
    }
}
