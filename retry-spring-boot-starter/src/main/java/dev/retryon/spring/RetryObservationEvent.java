// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;

/**
 * The event of a retry, as an {@code ObservationHandler} receives it. It is always named {@value #NAME}, because
 * backends group events by name. Micrometer's events have no attributes, but your handler can read the attributes of a
 * retry from {@link #keyValues()}.
 *
 * @since 0.1.0
 */
public final class RetryObservationEvent implements Observation.Event {

    /** The name of these events, which is also their contextual name: {@value}. */
    public static final String NAME = "retry";

    private final KeyValues keyValues;

    /**
     * Creates an event.
     *
     * @param keyValues the attributes of the event
     */
    public RetryObservationEvent(KeyValues keyValues) {
        this.keyValues = keyValues;
    }

    /**
     * Returns the attributes of the event:
     *
     * <ul>
     *   <li>{@code retry.name}: the name of the retried method
     *   <li>{@code retry.attempt}: the number of the attempt that failed
     *   <li>{@code retry.delay}: the delay before the next attempt
     *   <li>{@code retry.exception}: the simple name of the error's class, {@code http.503} for a rejected HTTP response, or
     *       {@code result} for a returned value
     * </ul>
     *
     * @return the attributes
     */
    public KeyValues keyValues() {
        return keyValues;
    }

    @Override
    public String getName() {
        return NAME;
    }

    @Override
    public String toString() {
        return NAME + " " + keyValues;
    }
}
