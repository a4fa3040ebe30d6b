// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.read.ListAppender;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.StarterLog;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;

/** Whatever takes part in telling of retries can fail: calls end as they would without it, and the failure shows. */
class FaultyTelemetryTests {

    private final Logger ours = (Logger) LoggerFactory.getLogger(StarterLog.NAME);

    private final Logger retries = (Logger) LoggerFactory.getLogger(RetryLogger.NAME);

    private final ListAppender<ILoggingEvent> warnings = new ListAppender<>();

    private final FailingAppender failing = new FailingAppender();

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private final ApplicationContextRunner runner =
            Telemetry.application().withBean(MeterRegistry.class, () -> registry);

    @BeforeEach
    void listen() {
        ours.setAdditive(false);
        warnings.start();
        failing.start();
    }

    @AfterEach
    void forget() {
        ours.detachAppender(warnings);
        ours.detachAppender(failing);
        retries.detachAppender(failing);
        retries.setLevel(null);
        ours.setAdditive(true);
    }

    private List<String> warnings() {
        return warnings.list.stream()
                .filter(line -> line.getLoggerName().equals(StarterLog.NAME) && line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private double faults(String kind) {
        return registry.get("retryon.extension.errors")
                .tags("name", "Payments.charge", "kind", kind)
                .functionCounter()
                .count();
    }

    private static void callsEndAsTheyShould(Payments payments) throws IOException {
        assertThat(payments.charge(1)).isEqualTo("charged");
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> payments.charge(9))
                .withMessage("card 4711");
        assertThat(payments.recovered()).isEqualTo("stood in");
    }

    @Test
    void anAppenderThatFailsChangesNoCall() {
        retries.setLevel(Level.TRACE);
        retries.addAppender(failing);
        ours.addAppender(failing);
        runner.run(context -> {
            callsEndAsTheyShould(context.getBean(Payments.class));
            assertThat(failing.failed).isPositive();
            assertThat(faults("log")).isEqualTo(5); // (1 retry + 1 end) + (2 retries + 1 end)
        });
    }

    @Test
    void anAppenderThatFailsDoesNotEndTheStart() {
        ours.addAppender(failing);
        runner.withPropertyValues("retryon.something-else=1").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(failing.failed).isPositive();
        });
    }

    @Test
    void aListenerThatFailsIsLoggedOnceAndCounted() {
        ours.addAppender(warnings);
        runner.withBean(FailingListener.class).run(context -> {
            callsEndAsTheyShould(context.getBean(Payments.class));
            assertThat(faults("listener")).isEqualTo(5); // (1 retry + 1 end) + (2 retries + 1 end)
            assertThat(warnings())
                    .filteredOn(line -> line.startsWith("Payments.charge: "))
                    .singleElement()
                    .asString()
                    .contains(FailingListener.class.getName(), "the call continues", "logged once");
        });
    }

    @Test
    void aListenerOfApplicationEventsThatFailsIsLoggedOnceAndCounted() {
        ours.addAppender(warnings);
        runner.withBean(FailingEventListener.class).run(context -> {
            callsEndAsTheyShould(context.getBean(Payments.class));
            assertThat(faults("listener")).isEqualTo(5);
            assertThat(warnings())
                    .filteredOn(line -> line.startsWith("Payments.charge: "))
                    .hasSize(1);
        });
    }

    @Test
    void aMeterRegistryThatFailsChangesNoCall() {
        ours.addAppender(warnings);
        Telemetry.application()
                .withBean(MeterRegistry.class, FailingRegistry::new)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    callsEndAsTheyShould(context.getBean(Payments.class));
                    assertThat(context.getBean(ExtensionErrors.class)
                                    .count(ExtensionErrorListener.Kind.METER, "Payments.charge"))
                            .isGreaterThanOrEqualTo(5);
                    assertThat(warnings())
                            .filteredOn(line -> line.startsWith("Payments.charge: "))
                            .hasSizeBetween(1, 2); // at the start and at the first event
                });
    }

    @Test
    void anObservationHandlerThatFailsChangesNoCall() {
        ours.addAppender(warnings);
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new FailingHandler());
        runner.withBean(ObservationRegistry.class, () -> observations)
                .run(context -> Observation.createNotStarted("order", observations)
                        .observeChecked(() -> {
                            callsEndAsTheyShould(context.getBean(Payments.class));
                            assertThat(faults("observation")).isEqualTo(3); // 1 + 2 retries
                            assertThat(warnings())
                                    .filteredOn(line -> line.startsWith("Payments.charge: "))
                                    .hasSize(1);
                        }));
    }

    static class FailingAppender extends AppenderBase<ILoggingEvent> {

        private int failed;

        @Override
        protected void append(ILoggingEvent event) {
            failed++;
            throw new OutOfMemoryError("of a test");
        }
    }

    static class FailingListener implements RetryListener {

        @Override
        public void onEvent(RetryEvent event) {
            throw new LinkageError("broken");
        }
    }

    static class FailingEventListener {

        @EventListener
        void on(RetryEvent event) {
            throw new IllegalStateException("broken");
        }
    }

    static class FailingRegistry extends SimpleMeterRegistry {

        @Override
        protected Counter newCounter(Meter.Id id) {
            throw new IllegalStateException("broken");
        }
    }

    static class FailingHandler implements ObservationHandler<Observation.Context> {

        @Override
        public void onEvent(Observation.Event event, Observation.Context context) {
            throw new AssertionError("broken");
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }
}
