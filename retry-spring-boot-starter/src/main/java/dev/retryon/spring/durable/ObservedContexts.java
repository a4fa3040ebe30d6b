/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.util.function.SingletonSupplier;

/**
 * The trace of the one who asked for a call, where observations are traced: what is stored is sent, and an attempt receives it.
 * Each is an observation of its own, so both have meters too.
 */
final class ObservedContexts implements CallContexts {

    /** The name of the observation of a call that is stored: {@value}. */
    static final String STORE = "retryon.durable.store";

    /** The name of the observation of an attempt that a worker makes: {@value}. */
    static final String ATTEMPT = "retryon.durable.attempt";

    private static final String PREFIX = "trace.";

    private final SingletonSupplier<ObservationRegistry> registry;

    /**
     * Creates it.
     *
     * @param registry gives the registry, once the first call is stored or made
     */
    ObservedContexts(Supplier<ObservationRegistry> registry) {
        this.registry = SingletonSupplier.of(registry);
    }

    @Override
    public void capture(String name, Map<String, String> context) {
        if (registry.obtain().isNoop()) {
            return;
        }
        SenderContext<Map<String, String>> sender = new SenderContext<>(
                (carrier, key, value) -> {
                    if (carrier != null) {
                        carrier.put(PREFIX + key, value);
                    }
                },
                Kind.PRODUCER);
        sender.setCarrier(context);
        observation(STORE, "store ", name, sender).observe(() -> {});
    }

    @Override
    public Scope restore(String name, Map<String, String> context) {
        if (registry.obtain().isNoop()) {
            return () -> {};
        }
        ReceiverContext<Map<String, String>> receiver =
                new ReceiverContext<>((carrier, key) -> carrier.get(PREFIX + key), Kind.CONSUMER);
        receiver.setCarrier(context);
        Observation attempt = observation(ATTEMPT, "attempt ", name, receiver).start();
        Observation.Scope scope = attempt.openScope();
        return () -> {
            try {
                scope.close();
            } finally {
                attempt.stop();
            }
        };
    }

    private Observation observation(String kind, String what, String name, Observation.Context context) {
        return Observation.createNotStarted(kind, () -> context, registry.obtain())
                .contextualName(what + name)
                .lowCardinalityKeyValue(KeyValue.of("name", name));
    }
}
