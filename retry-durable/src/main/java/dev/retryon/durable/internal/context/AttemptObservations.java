/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.context;

import dev.retryon.RetryEvent;
import dev.retryon.RetryScheduled;
import dev.retryon.spring.internal.observe.TelemetryListener;
import dev.retryon.spring.internal.report.ExtensionErrors;
import dev.retryon.spring.internal.settings.LookUp;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/** Marks the observation of an attempt that failed and is retried. Observations of callers fail when their call does. */
final class AttemptObservations implements TelemetryListener {

    private final LookUp<Optional<ObservationRegistry>> registry;

    AttemptObservations(ObjectProvider<ObservationRegistry> registry) {
        this.registry = new LookUp<>(() -> Optional.ofNullable(registry.getIfUnique()));
    }

    @Override
    public ExtensionErrors.Kind faultKind() {
        return ExtensionErrors.Kind.OBSERVATION;
    }

    @Override
    public boolean wants(Class<? extends RetryEvent> type) {
        return type == RetryScheduled.class && attempt() != null;
    }

    @Override
    public void onEvent(RetryEvent event) {
        Observation attempt = attempt();
        if (event instanceof RetryScheduled retry && retry.error() != null && attempt != null) {
            attempt.highCardinalityKeyValue(
                            "error.type", retry.error().getClass().getName())
                    .error(retry.error());
        }
    }

    private @Nullable Observation attempt() {
        return registry.get()
                .map(ObservationRegistry::getCurrentObservation)
                .filter(current ->
                        CallContexts.ATTEMPT.equals(current.getContextView().getName()))
                .orElse(null);
    }
}
