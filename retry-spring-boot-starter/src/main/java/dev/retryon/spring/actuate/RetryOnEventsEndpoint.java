/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.actuate;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * What happened lately to calls that were retried or failed: {@code /actuator/retryonevents}. Messages of errors, which may
 * hold secrets, are shown only if the application says so.
 */
@Endpoint(id = "retryonevents")
public class RetryOnEventsEndpoint {

    private final RetryEventLog events;

    private final Show showValues;

    /**
     * Creates the endpoint.
     *
     * @param events the latest events
     * @param showValues when messages of errors are shown
     */
    public RetryOnEventsEndpoint(RetryEventLog events, Show showValues) {
        this.events = events;
        this.showValues = showValues;
    }

    /**
     * The latest events.
     *
     * @param name of calls with this name only; {@code null} for all
     * @param limit so many at most, none if negative; {@code null} for all that are kept
     * @return the newest first
     */
    @ReadOperation
    public RetryEvents events(@Nullable String name, @Nullable Integer limit) {
        return events(name, limit, showValues.isShown(true));
    }

    RetryEvents events(@Nullable String name, @Nullable Integer limit, boolean withMessages) {
        Stream<RetryEventDescription> found =
                events.newestFirst().stream().filter(event -> name == null || name.equals(event.name()));
        if (limit != null) {
            found = found.limit(Math.max(0, limit));
        }
        return new RetryEvents((withMessages ? found : found.map(RetryEventDescription::withoutMessage)).toList());
    }

    /**
     * The latest events.
     *
     * @param events the newest first
     */
    public record RetryEvents(List<RetryEventDescription> events) implements OperationResponseBody {}
}
