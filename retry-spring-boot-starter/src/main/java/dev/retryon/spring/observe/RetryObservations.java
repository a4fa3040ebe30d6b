/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.observe;

import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

/**
 * Marks each retry as an event of the observation that is current where the call is made, so that a trace shows when a
 * request was slow because something was retried. The event's name is {@value #EVENT}, its contextual name tells the
 * retry's number, wait and error class.
 */
public class RetryObservations implements RetryListener {

    /** The name of the events. */
    public static final String EVENT = "retry";

    private final SingletonSupplier<Optional<ObservationRegistry>> registry;

    /**
     * Creates the listener.
     *
     * @param registry the registry, looked up at the first retry; nothing is marked without a unique one
     */
    public RetryObservations(ObjectProvider<ObservationRegistry> registry) {
        this.registry = SingletonSupplier.of(() -> Optional.ofNullable(registry.getIfUnique()));
    }

    @Override
    public boolean wants(Class<? extends RetryEvent> type) {
        return type == RetryScheduled.class && current() != null;
    }

    @Override
    public void onEvent(RetryEvent event) {
        Observation current = current();
        if (event instanceof RetryScheduled retry && current != null) {
            current.event(Observation.Event.of(EVENT, describe(retry)));
        }
    }

    private @Nullable Observation current() {
        Observation current = registry.obtain()
                .map(ObservationRegistry::getCurrentObservation)
                .orElse(null);
        return current == null || current.isNoop() ? null : current;
    }

    private static String describe(RetryScheduled retry) {
        Throwable error = retry.error();
        return retry.name() + ": retry " + retry.attempt() + " in " + ShortDuration.of(retry.delay()) + " after "
                + (error == null ? ExceptionNames.RESULT : ExceptionNames.simpleName(error.getClass()));
    }
}
