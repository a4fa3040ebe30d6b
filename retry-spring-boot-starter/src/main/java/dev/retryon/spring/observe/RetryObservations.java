/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.observe;

import dev.retryon.RetryEvent;
import dev.retryon.RetryScheduled;
import dev.retryon.spring.context.CallContexts;
import dev.retryon.spring.settings.LookUp;
import dev.retryon.spring.settings.RuntimeFaults;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Marks each retry as an event of the observation that is current where the call is made, so that a trace shows when a
 * request was slow because something was retried. The event is a {@link RetryObservationEvent}; what it holds is also put on
 * the observation as key-values of high cardinality, where the latest retry replaces the one before. Those show in traces;
 * meters do not have them.
 */
final class RetryObservations implements TelemetryListener {

    /** The name of the events, and their contextual name: {@value}. */
    public static final String EVENT = "retry";

    private final LookUp<Optional<ObservationRegistry>> registry;

    /**
     * Creates the listener.
     *
     * @param registry the registry, looked up at the first retry; nothing is marked without a unique one
     */
    RetryObservations(ObjectProvider<ObservationRegistry> registry) {
        this.registry = new LookUp<>(() -> Optional.ofNullable(registry.getIfUnique()));
    }

    @Override
    public RuntimeFaults.Kind faultKind() {
        return RuntimeFaults.Kind.OBSERVATION;
    }

    @Override
    public boolean wants(Class<? extends RetryEvent> type) {
        return type == RetryScheduled.class && current() != null;
    }

    @Override
    public void onEvent(RetryEvent event) {
        Observation current = current();
        if (event instanceof RetryScheduled retry && current != null) {
            RetryObservationEvent marked = RetryObservationEvent.of(retry);
            current.highCardinalityKeyValues(marked.keyValues());
            current.event(marked);
            if (CallContexts.ATTEMPT.equals(current.getContextView().getName())) {
                // The span of one attempt, which has failed. Spans of callers do not fail before their call does.
                fail(current, retry.error());
            }
        }
    }

    private static void fail(Observation attempt, @Nullable Throwable error) {
        if (error != null) {
            attempt.highCardinalityKeyValue("error.type", error.getClass().getName())
                    .error(error);
        }
    }

    private @Nullable Observation current() {
        Observation current =
                registry.get().map(ObservationRegistry::getCurrentObservation).orElse(null);
        return current == null || current.isNoop() ? null : current;
    }
}
