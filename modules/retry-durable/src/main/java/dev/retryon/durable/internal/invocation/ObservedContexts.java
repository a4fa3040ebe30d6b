// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import dev.retryon.spring.module.LookUp;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The trace of a call, if observations are traced: storing a call counts as sending, and running it as receiving. Each has
 * its own observation, and therefore its own meters. Keys have OpenTelemetry's names if they exist.
 *
 * <p>The observation of a failed attempt that is retried is marked. A caller's observation fails if the call fails.
 */
public final class ObservedContexts implements RetryListener {

    private static final String ATTEMPT = "retryon.durable.attempt";

    private static final String PREFIX = "trace.";

    /** A longer header was not written by a tracing library. */
    private static final int LONGEST = 8192;

    private final LookUp<ObservationRegistry> registry;

    public ObservedContexts(Supplier<ObservationRegistry> registry) {
        this.registry = new LookUp<>(registry);
    }

    void capture(Surroundings.Call call, Map<String, String> context) {
        if (registry.get().isNoop()) {
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
        observation(call.isLetter() ? "retryon.deadletter.store" : "retryon.durable.store", "store ", call, sender)
                .observe(() -> {});
    }

    /** Starts the observation of an attempt. Returns {@code null} if observations are not active. */
    @Nullable Attempt restore(Surroundings.Call call, Map<String, String> context) {
        if (registry.get().isNoop()) {
            return null;
        }
        ReceiverContext<Map<String, String>> receiver = new ReceiverContext<>(ObservedContexts::read, Kind.CONSUMER);
        receiver.setCarrier(context);
        Observation made = observation(ATTEMPT, "attempt ", call, receiver);
        made.start();
        return new Attempt(made, made.openScope());
    }

    /** Reads a stored text, which can have been edited. */
    private static @Nullable String read(Map<String, String> stored, String key) {
        String value = stored.get(PREFIX + key);
        if (value == null || value.length() > LONGEST) {
            return null;
        }
        return key.equals(Surroundings.TRACE_HEADER) ? Surroundings.validTraceParent(value) : value;
    }

    @Override
    public void onEvent(RetryEvent event) {
        Observation attempt = attempt();
        if (event instanceof RetryScheduled retry && retry.error() != null && attempt != null) {
            fail(attempt, retry.error());
        }
    }

    private @Nullable Observation attempt() {
        Observation current = registry.get().getCurrentObservation();
        return current != null && ATTEMPT.equals(current.getContextView().getName()) ? current : null;
    }

    private static void fail(Observation observation, Throwable error) {
        observation
                .highCardinalityKeyValue("error.type", error.getClass().getName())
                .error(error);
    }

    private Observation observation(String kind, String what, Surroundings.Call call, Observation.Context context) {
        Observation observation = Observation.createNotStarted(kind, () -> context, registry.get())
                .contextualName(what + call.name())
                .lowCardinalityKeyValue(KeyValue.of("name", call.name()))
                .highCardinalityKeyValue("code.function.name", function(call.method()))
                .highCardinalityKeyValue("retry.call-id", call.id());
        return call.attempt() == 0
                ? observation
                : observation.highCardinalityKeyValue("retry.attempt", String.valueOf(call.attempt()));
    }

    /** Returns a method's full name without its parameters. */
    private static String function(String method) {
        int end = method.indexOf('(');
        return (end < 0 ? method : method.substring(0, end)).replace('#', '.');
    }

    record Attempt(Observation observation, Observation.Scope scope) {

        void close() {
            scope.close();
        }

        void end(@Nullable Throwable error) {
            if (error != null) {
                fail(observation, error);
            }
            observation.stop();
        }
    }
}
