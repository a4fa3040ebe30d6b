/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class RetryObservationsTests {

    private final TestObservationRegistry registry = TestObservationRegistry.create();

    private final List<String> contextualNames = new ArrayList<>();

    private final ApplicationContextRunner runner =
            Telemetry.application().withBean(ObservationRegistry.class, () -> registry);

    RetryObservationsTests() {
        registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {

            @Override
            public void onEvent(Observation.Event event, Observation.Context context) {
                contextualNames.add(event.getContextualName());
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
    }

    @Test
    void marksEachRetryOnTheCurrentObservation() {
        runner.run(context -> Observation.createNotStarted("order", registry)
                .observeChecked(() -> context.getBean(Payments.class).charge(2)));
        assertThat(registry)
                .hasNumberOfObservationsEqualTo(1)
                .hasObservationWithNameEqualTo("order")
                .that()
                .hasEvent("retry");
        assertThat(contextualNames)
                .containsExactly(
                        "Payments.charge: retry 1 in 0.1s after IOException",
                        "Payments.charge: retry 2 in 0.2s after IOException");
    }

    @Test
    void marksNothingAtTheEndOfACall() {
        runner.run(context -> assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> Observation.createNotStarted("order", registry)
                        .observe(() -> context.getBean(Payments.class).refuse(new RuntimeException("no")))));
        assertThat(contextualNames).isEmpty();
    }

    @Test
    void doesWithoutAnObservation() {
        runner.run(context -> context.getBean(Payments.class).charge(2));
        assertThat(registry).doesNotHaveAnyObservation();
    }

    @Test
    void doesWithoutARegistry() {
        Telemetry.application()
                .run(context ->
                        assertThat(context.getBean(Payments.class).charge(2)).isEqualTo("charged"));
    }

    @Test
    void marksRefusedValues() {
        runner.run(context -> Observation.createNotStarted("order", registry)
                .observe(() -> context.getBean(Payments.class).find()));
        assertThat(contextualNames).hasSize(2).allMatch(name -> name.endsWith("after result"));
    }
}
