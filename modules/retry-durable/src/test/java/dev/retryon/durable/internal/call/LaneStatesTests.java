// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.durable.autoconfigure.RetryDurableTelemetryAutoConfiguration;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryMetricsAutoConfiguration;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Operators see why calls of a lane do not run. */
class LaneStatesTests {

    private final ApplicationContextRunner runner = LanesOnH2Tests.h2()
            .withConfiguration(AutoConfigurations.of(
                    RetryMetricsAutoConfiguration.class, RetryDurableTelemetryAutoConfiguration.class))
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
            .withBean(Jobs.class);

    @Test
    void aLaneWithoutThreadsInAnyRunningProcessIsReported() {
        runner.withPropertyValues("retryon.durable.lanes.mail.threads=0").run(storing -> {
            storing.getBean(Jobs.class).mail("one");
            storing.getBean(Jobs.class).mail("two");

            await().until(() -> !lane(storing, "mail").lag().isZero());
            assertThat(lane(storing, "mail")).satisfies(mail -> {
                assertThat(mail.waiting()).isEqualTo(2);
                assertThat(mail.state()).isEqualTo("no-threads");
            });
            assertThat(lane(storing, Lanes.DEFAULT))
                    .isEqualTo(new DurableCalls.Lane(Lanes.DEFAULT, 0, Duration.ZERO, "open", null));
            assertThat(blocked(storing)).isEqualTo(Map.of("mail no-threads", 2.0));

            runner.withPropertyValues("retryon.durable.lanes.mail.threads=1").run(running -> {
                assertThat(lane(storing, "mail").state()).isEqualTo("open");
                await().until(() -> DurableTrial.stored(running) == 0);
            });
            assertThat(lane(storing, "mail").state()).isEqualTo("no-threads");
        });
    }

    @Test
    void aProcessThatOnlyStoresReportsThatNoOtherOneRuns() {
        runner.withPropertyValues("retryon.durable.threads=0", "retryon.durable.lanes.mail.priority=1")
                .run(storing -> {
                    storing.getBean(Jobs.class).mail("one");
                    storing.getBean(Jobs.class).work("two");

                    assertThat(blocked(storing)).isEqualTo(Map.of("mail no-threads", 1.0, "default no-threads", 1.0));
                });
    }

    @Test
    void aLaneThatHasReachedItsRateIsReported() {
        runner.withPropertyValues(
                        "retryon.durable.lanes.mail.threads=1", "retryon.durable.lanes.mail.max-per-second=0.01")
                .run(context -> {
                    for (int i = 0; i < 3; i++) {
                        context.getBean(Jobs.class).mail("mail " + i);
                    }
                    // A worker might lease a call for a moment before it finds that the call has to wait.
                    await().untilAsserted(() -> assertThat(lane(context, "mail"))
                            .extracting(
                                    DurableCalls.Lane::waiting,
                                    DurableCalls.Lane::state,
                                    DurableCalls.Lane::maxPerSecond)
                            .containsExactly(2L, "rate", 0.01));
                    await().untilAsserted(() -> assertThat(blocked(context)).isEqualTo(Map.of("mail rate", 2.0)));
                });
    }

    @Test
    void aLaneBelowItsRateIsOpen() {
        runner.withPropertyValues("retryon.durable.lanes.mail.max-per-second=1000")
                .run(context -> {
                    context.getBean(Jobs.class).mail("mail");
                    await().until(() -> DurableTrial.stored(context) == 0);

                    await().until(() -> lane(context, "mail").state().equals("open"));
                    assertThat(blocked(context)).isEmpty();
                });
    }

    private static DurableCalls.Lane lane(ApplicationContext context, String name) {
        return context.getBean(DurableCalls.class).lanes().stream()
                .filter(lane -> lane.lane().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** The gauges that are not zero. */
    private static Map<String, Double> blocked(ApplicationContext context) {
        return context.getBean(MeterRegistry.class).get("retryon.durable.blocked").gauges().stream()
                .filter(gauge -> gauge.value() != 0)
                .collect(Collectors.toMap(
                        gauge -> gauge.getId().getTag("lane") + " "
                                + gauge.getId().getTag("reason"),
                        Gauge::value));
    }

    static class Jobs {

        @RetryOn(IOException.class)
        @Durable(value = OUTBOX, lane = "mail")
        public void mail(String text) {}

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void work(String text) {}
    }
}
