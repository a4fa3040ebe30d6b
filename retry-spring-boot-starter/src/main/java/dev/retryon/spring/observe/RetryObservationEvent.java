/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.observe;

import dev.retryon.RetryScheduled;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;

/**
 * A retry, as an {@code ObservationHandler} receives it. Its name is always {@value RetryObservations#EVENT}: backends group
 * events by their names. Micrometer's events have no attributes; a handler of your own finds them in {@link #keyValues()}.
 *
 * @since 0.1.0
 */
public final class RetryObservationEvent implements Observation.Event {

    private final KeyValues keyValues;

    private RetryObservationEvent(KeyValues keyValues) {
        this.keyValues = keyValues;
    }

    static RetryObservationEvent of(RetryScheduled retry) {
        Throwable error = retry.error();
        return new RetryObservationEvent(KeyValues.of(
                "retry.name",
                retry.name(),
                "retry.attempt",
                Integer.toString(retry.attempt()),
                "retry.delay",
                ShortDuration.of(retry.delay()),
                "retry.exception",
                error == null ? ExceptionNames.RESULT : ExceptionNames.name(error)));
    }

    /**
     * What the event is about.
     *
     * @return {@code retry.name}; {@code retry.attempt}, the number of the attempt that failed; {@code retry.delay}, the wait
     *     before the next one; {@code retry.exception}, the simple name of the error's class, {@code http.503} for a refused response, or {@code result}
     */
    public KeyValues keyValues() {
        return keyValues;
    }

    @Override
    public String getName() {
        return RetryObservations.EVENT;
    }

    @Override
    public String toString() {
        return RetryObservations.EVENT + " " + keyValues;
    }
}
