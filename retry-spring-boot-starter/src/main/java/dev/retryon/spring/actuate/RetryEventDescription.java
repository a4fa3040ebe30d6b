/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.actuate;

import dev.retryon.DeadLettered;
import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryScheduled;
import dev.retryon.StopReason;
import dev.retryon.spring.observe.RetryOutcome;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * An event as the endpoint shows it.
 *
 * @param at when it happened
 * @param type {@code retry} for each retry; {@code dead_letter} if the call was kept as one; the outcome, such as {@code success_after_retry} or {@code failure}, at the
 *     end of a call
 * @param name what was called
 * @param callId the call's id, the same for all its events
 * @param traceId the id of the trace that was in the log context of the thread; {@code null} if none was
 * @param attempt the attempt that the event is about, from 1
 * @param maxAttempts how many attempts the call has at most
 * @param delay the wait before the next attempt, as an ISO-8601 duration; of {@code retry} only
 * @param elapsed how long the call had taken until then, as an ISO-8601 duration
 * @param reason why the call was not, or no longer, retried, in lower case; of calls that failed only
 * @param exception the class of the error; {@code null} if the attempt returned a value that is to be retried
 * @param message the error's message; {@code null} if messages are not shown
 * @since 0.1.0
 */
public record RetryEventDescription(
        Instant at,
        String type,
        String name,
        String callId,
        @Nullable String traceId,
        int attempt,
        int maxAttempts,
        @Nullable String delay,
        String elapsed,
        @Nullable String reason,
        @Nullable String exception,
        @Nullable String message) {

    static RetryEventDescription of(RetryEvent event, @Nullable String message) {
        RetryOutcome outcome = RetryOutcome.of(event);
        Throwable error = event.error();
        StopReason reason = event instanceof RetryFailed failed
                ? failed.reason()
                : event instanceof DeadLettered kept ? kept.reason() : null;
        return new RetryEventDescription(
                event.at(),
                outcome != null ? outcome.tag() : event instanceof DeadLettered ? "dead_letter" : "retry",
                event.name(),
                event.callId(),
                currentTrace(),
                event.attempt(),
                event.maxAttempts(),
                event instanceof RetryScheduled retry ? retry.delay().toString() : null,
                event.elapsed().toString(),
                reason == null ? null : RetryOutcome.tag(reason),
                error == null ? null : error.getClass().getName(),
                message);
    }

    /** From where Spring Boot puts it for logs, with either kind of tracing. */
    private static @Nullable String currentTrace() {
        try {
            return MDC.get("traceId");
        } catch (Throwable ex) {
            return null; // the event matters more than its trace
        }
    }

    RetryEventDescription withoutMessage() {
        return new RetryEventDescription(
                at, type, name, callId, traceId, attempt, maxAttempts, delay, elapsed, reason, exception, null);
    }
}
