/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.actuate;

import dev.retryon.spring.method.RetriedMethods;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * What happened lately to calls that were retried or failed: {@code /actuator/retryonevents}. Messages of errors, which may
 * hold secrets, are shown only if the application says so.
 *
 * @since 0.1.0
 */
@Endpoint(id = "retryonevents")
public class RetryOnEventsEndpoint {

    private final RetryEventLog events;

    private final RetriedMethods methods;

    private final Show showValues;

    /**
     * Creates the endpoint.
     *
     * @param events the latest events
     * @param methods the retried methods, to tell a name that is unknown from one to which nothing happened
     * @param showValues when messages of errors are shown
     */
    public RetryOnEventsEndpoint(RetryEventLog events, RetriedMethods methods, Show showValues) {
        this.events = events;
        this.methods = methods;
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
        List<RetryEventDescription> shown =
                (withMessages ? found : found.map(RetryEventDescription::withoutMessage)).toList();
        return new RetryEvents(shown, name != null && shown.isEmpty() ? hint(name) : null);
    }

    private @Nullable String hint(String name) {
        Set<String> names = new TreeSet<>();
        methods.all().forEach(method -> names.add(method.name()));
        events.newestFirst().forEach(event -> names.add(event.name()));
        return names.contains(name) || methods.knownCounters(name).isPresent() ? null : UnknownName.hint(name, names);
    }

    /**
     * The latest events.
     *
     * @param events the newest first
     * @param hint what may have been meant, if nothing is retried under the name that was asked for; else {@code null}
     */
    public record RetryEvents(
            List<RetryEventDescription> events, @Nullable String hint) implements OperationResponseBody {}
}
