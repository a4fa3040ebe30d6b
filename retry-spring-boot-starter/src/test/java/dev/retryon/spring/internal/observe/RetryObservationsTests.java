// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import dev.retryon.spring.RetryObservationEvent;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
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

    private final List<Observation.Event> events = new ArrayList<>();

    private final ApplicationContextRunner runner =
            Telemetry.application().withBean(ObservationRegistry.class, () -> registry);

    RetryObservationsTests() {
        registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {

            @Override
            public void onEvent(Observation.Event event, Observation.Context context) {
                events.add(event);
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
        assertThat(events)
                .extracting(Observation.Event::getName, Observation.Event::getContextualName)
                .containsExactly(tuple("retry", "retry"), tuple("retry", "retry"));
        assertThat(events)
                .extracting(event -> ((RetryObservationEvent) event).keyValues())
                .containsExactly(
                        KeyValues.of(
                                "retry.name", "Payments.charge",
                                "retry.attempt", "1",
                                "retry.delay", "0.1s",
                                "retry.exception", "IOException"),
                        KeyValues.of(
                                "retry.name", "Payments.charge",
                                "retry.attempt", "2",
                                "retry.delay", "0.2s",
                                "retry.exception", "IOException"));
    }

    @Test
    void putsTheLatestRetryOnTheObservationButNotIntoItsMeters() {
        runner.run(context -> Observation.createNotStarted("order", registry)
                .observeChecked(() -> context.getBean(Payments.class).charge(2)));
        assertThat(registry)
                .hasObservationWithNameEqualTo("order")
                .that()
                .hasHighCardinalityKeyValue("retry.attempt", "2")
                .hasHighCardinalityKeyValue("retry.exception", "IOException")
                .doesNotHaveLowCardinalityKeyValueWithKey("retry.attempt")
                .doesNotHaveLowCardinalityKeyValueWithKey("retry.exception");
    }

    @Test
    void marksNothingAtTheEndOfACall() {
        runner.run(context -> assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> Observation.createNotStarted("order", registry)
                        .observe(() -> context.getBean(Payments.class).refuse(new RuntimeException("no")))));
        assertThat(events).isEmpty();
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
        assertThat(events)
                .extracting(event -> ((RetryObservationEvent) event)
                        .keyValues().stream()
                                .filter(pair -> pair.getKey().equals("retry.exception"))
                                .map(KeyValue::getValue)
                                .toList())
                .containsExactly(List.of("result"), List.of("result"));
    }
}
