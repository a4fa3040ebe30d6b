// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import dev.retryon.DeadLettered;
import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import dev.retryon.RetrySucceeded;
import dev.retryon.StopReason;
import dev.retryon.spring.internal.observe.RetryOutcome;
import dev.retryon.spring.internal.policy.NamedRetries;
import dev.retryon.spring.module.StarterLog;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * The latest events of retried or failed calls, kept in memory as text without errors and arguments. Shows error messages,
 * which can be secret, only if the application allows it. Thread-safe.
 */
@Endpoint(id = "retryonevents")
public class RetryOnEventsEndpoint implements RetryListener {

    public static final int DEFAULT_CAPACITY = 200;

    public static final int MAX_CAPACITY = 100_000;

    private static final int MESSAGE_LENGTH = 1000;

    private final Deque<Event> newestFirst = new ArrayDeque<>();

    private final int capacity;

    private final NamedRetries retries;

    private final Show showValues;

    /** Creates the endpoint. Error messages are not kept if they are never shown. */
    public RetryOnEventsEndpoint(int capacity, NamedRetries retries, Show showValues) {
        this.capacity = capacity;
        this.retries = retries;
        this.showValues = showValues;
    }

    @Override
    public void onEvent(RetryEvent event) {
        Event description = Event.of(event, showValues == Show.NEVER ? null : message(event));
        synchronized (newestFirst) {
            if (newestFirst.size() == capacity) {
                newestFirst.removeLast();
            }
            newestFirst.addFirst(description);
        }
    }

    private static @Nullable String message(RetryEvent event) {
        Throwable error = event.error();
        String message;
        try {
            message = error == null ? null : error.getMessage();
        } catch (Throwable ex) {
            return null; // getMessage() can run application code; the event matters more than its message
        }
        return message == null || message.length() <= MESSAGE_LENGTH
                ? message
                : message.substring(0, MESSAGE_LENGTH) + "…";
    }

    private List<Event> newestFirst() {
        synchronized (newestFirst) {
            return List.copyOf(newestFirst);
        }
    }

    /** Returns the latest events, the newest first. A missing name means all names, and a missing limit means all events. */
    @ReadOperation
    public RetryEvents events(@Nullable String name, @Nullable Integer limit) {
        return events(name, limit, showValues.isShown(true));
    }

    RetryEvents events(@Nullable String name, @Nullable Integer limit, boolean withMessages) {
        Stream<Event> found = newestFirst().stream().filter(event -> name == null || name.equals(event.name()));
        if (limit != null && limit < 1) {
            throw new InvalidEndpointRequestException(
                    "limit is '" + limit + "', but must be at least 1", "limit must be at least 1");
        }
        List<Event> shown = found.limit(limit == null ? Long.MAX_VALUE : limit)
                .map(event -> withMessages ? event : event.withoutMessage())
                .toList();
        return new RetryEvents(shown, name != null && shown.isEmpty() ? hint(name) : null);
    }

    private @Nullable String hint(String name) {
        boolean isKnown = retries.counters(name).isPresent()
                || newestFirst().stream().anyMatch(event -> name.equals(event.name()));
        return isKnown ? null : UnknownName.hint(name);
    }

    /** The hint suggests names if no retry has the requested name. */
    public record RetryEvents(List<Event> events, @Nullable String hint) implements OperationResponseBody {}

    /**
     * An event as the endpoint shows it.
     *
     * @param type {@code retry} for each retry; {@code dead_letter} if the call was kept as a dead letter; the outcome, such
     *     as {@code success_after_retry} or {@code failure}, at the end of a call
     * @param traceId the id of the trace in the log context of the thread
     * @param delay the wait before the next attempt, as an ISO-8601 duration; only for {@code retry}
     * @param sinceFirstFailure the time since the first failure of the call, as an ISO-8601 duration
     * @param reason why the call was not, or no longer, retried, in lower case; only for failed calls
     * @param exception the class of the error; {@code null} if the attempt returned a value that must be retried
     * @param message the error's message; {@code null} if messages are not shown
     */
    public record Event(
            Instant at,
            String type,
            String name,
            String callId,
            @Nullable String traceId,
            int attempt,
            int maxAttempts,
            @Nullable String delay,
            String sinceFirstFailure,
            @Nullable String reason,
            @Nullable String exception,
            @Nullable String message) {

        static Event of(RetryEvent event, @Nullable String message) {
            RetryOutcome outcome = RetryOutcome.of(event);
            StopReason reason = event instanceof RetryFailed failed
                    ? failed.reason()
                    : event instanceof DeadLettered kept ? kept.reason() : null;
            return new Event(
                    event.at(),
                    outcome != null ? outcome.tag() : event instanceof DeadLettered ? "dead_letter" : "retry",
                    event.name(),
                    event.callId(),
                    StarterLog.trace(),
                    event.attempt(),
                    event.maxAttempts(),
                    event instanceof RetryScheduled retry ? retry.delay().toString() : null,
                    event.sinceFirstFailure().toString(),
                    reason == null ? null : RetryOutcome.tag(reason),
                    errorType(event),
                    message);
        }

        private static @Nullable String errorType(RetryEvent event) {
            Throwable error = event.error();
            if (error != null) {
                return error.getClass().getName();
            }
            return event instanceof RetrySucceeded succeeded ? succeeded.errorType() : null;
        }

        Event withoutMessage() {
            return new Event(
                    at,
                    type,
                    name,
                    callId,
                    traceId,
                    attempt,
                    maxAttempts,
                    delay,
                    sinceFirstFailure,
                    reason,
                    exception,
                    null);
        }
    }
}
