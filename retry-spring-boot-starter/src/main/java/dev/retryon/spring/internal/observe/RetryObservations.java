// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import dev.retryon.spring.RetryObservationEvent;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.LookUp;
import dev.retryon.spring.module.NamedError;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Marks each retry in the call's current observation, and adds the key-values of the latest {@link RetryObservationEvent}. The
 * key-values have high cardinality, so only traces contain them, and meters do not.
 */
public final class RetryObservations implements RetryListener {

    private final LookUp<Optional<ObservationRegistry>> registry;

    private final ExtensionErrors errors;

    public RetryObservations(ObjectProvider<ObservationRegistry> registry, ExtensionErrors errors) {
        this.registry = new LookUp<>(() -> Optional.ofNullable(registry.getIfUnique()));
        this.errors = errors;
    }

    @Override
    public void onEvent(RetryEvent event) {
        if (!(event instanceof RetryScheduled retry)) {
            return;
        }
        try {
            Observation current = current();
            if (current != null) {
                KeyValues keyValues = keyValues(retry);
                current.highCardinalityKeyValues(keyValues);
                current.event(new RetryObservationEvent(keyValues));
            }
        } catch (Throwable ex) {
            errors.report(
                    ExtensionErrorListener.Kind.OBSERVATION,
                    event.name(),
                    "an observation handler failed; the call continues",
                    ex);
        }
    }

    private @Nullable Observation current() {
        Observation current =
                registry.get().map(ObservationRegistry::getCurrentObservation).orElse(null);
        return current == null || current.isNoop() ? null : current;
    }

    private static KeyValues keyValues(RetryScheduled retry) {
        return KeyValues.of(
                "retry.name",
                retry.name(),
                "retry.attempt",
                Integer.toString(retry.attempt()),
                "retry.delay",
                RetryLine.shortText(retry.delay()),
                "retry.exception",
                NamedError.of(retry.error()));
    }
}
