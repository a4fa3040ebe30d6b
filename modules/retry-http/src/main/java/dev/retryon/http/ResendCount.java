// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.client.observation.ClientRequestObservationContext;

/**
 * Counts resends on Spring's observation of a request, which covers all attempts. OpenTelemetry's semantic conventions allow
 * one span for a client's whole operation, and require the number of the latest resend. The number is a key-value of high
 * cardinality, so meters do not contain it.
 */
final class ResendCount {

    /** For clients that are created without the application. */
    static final ResendCount NONE = new ResendCount(() -> null);

    private static final String KEY = "http.request.resend_count";

    private final Supplier<? extends @Nullable ObservationRegistry> registry;

    /** @param registry looks up the registry of blocking clients' observations at a resend */
    ResendCount(Supplier<? extends @Nullable ObservationRegistry> registry) {
        this.registry = registry;
    }

    /** Counts an attempt of a request that this thread sends. The first attempt is not a resend. */
    void count(int attempt) {
        if (attempt == 1) {
            return;
        }
        try {
            // A client without a registry also has an observation, which does nothing.
            Optional.ofNullable(registry.get())
                    .map(ObservationRegistry::getCurrentObservation)
                    .filter(current -> current.getContextView() instanceof ClientRequestObservationContext)
                    .ifPresent(current -> set(current, attempt));
        } catch (RuntimeException ex) {
            return; // a broken registry is reported when the retry is marked; the request matters more
        }
    }

    static void set(Observation observation, int attempt) {
        observation.highCardinalityKeyValue(KEY, Integer.toString(attempt - 1));
    }
}
