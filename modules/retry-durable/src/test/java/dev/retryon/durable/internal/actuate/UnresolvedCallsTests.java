// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import static dev.retryon.durable.DurableMode.OUTBOX;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.autoconfigure.RetryDurableTelemetryAutoConfiguration;
import dev.retryon.durable.internal.call.DurableLifecycle;
import dev.retryon.durable.internal.call.DurableTrial;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryMetricsAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** A call whose method no running process has waits, and operators see it. */
class UnresolvedCallsTests {

    private final ApplicationContextRunner node = DurableTrial.inMemory()
            .withConfiguration(AutoConfigurations.of(
                    RetryMetricsAutoConfiguration.class, RetryDurableTelemetryAutoConfiguration.class))
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
            .withBean(Shipments.class)
            .withPropertyValues(
                    "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                    "retryon.jdbc.initialize-schema=always",
                    "retryon.durable.heartbeat-interval=100ms");

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(50));
    }

    private static Health health(ApplicationContext context) {
        return context.getBean(DurableCallsHealthIndicator.class).health();
    }

    private static double unresolved(ApplicationContext context) {
        return context.getBean(MeterRegistry.class)
                .get("retryon.durable.unresolved")
                .gauge()
                .value();
    }

    private void storeAndLeave() {
        node.withBean(Payments.class).run(newer -> {
            newer.getBean(DurableLifecycle.class).stop();
            newer.getBean(Payments.class).pay("17");
        });
    }

    @Test
    void areCountedAndAWarningOfHealthUntilTheyAreGivenUp() {
        storeAndLeave();
        node.withPropertyValues("retryon.durable.unresolved-after=300ms").run(older -> {
            await().until(() -> health(older).getStatus().getCode().equals("WARNING"));
            assertThat(String.valueOf(health(older).getDetails().get("problem")))
                    .startsWith("1 calls wait for a method that no running process has, the first since ");
            assertThat(unresolved(older)).isOne();

            StoredCalls calls = older.getBean(StoredCalls.class);
            String id = calls.list(StoredCalls.Filter.of(State.WAITING, State.RUNNING), null, 1)
                    .calls()
                    .get(0)
                    .id();
            assertThat(calls.by("operator").giveUp(id, "no longer needed")).isTrue();
            await().until(() -> unresolved(older) == 0);
            assertThat(health(older).getStatus().getCode()).isEqualTo("UP");
        });
    }

    @Test
    void areNoneWhileAProcessHasTheMethodOrForAShortTime() {
        storeAndLeave();
        node.run(older -> {
            await().until(() -> unresolved(older) == 1);
            assertThat(health(older).getStatus().getCode()).isEqualTo("UP");

            node.withBean(Payments.class).run(newest -> {
                await().until(() -> unresolved(older) == 0);
                assertThat(unresolved(newest)).isZero();
            });
        });
    }

    @RetryOn(IOException.class)
    @Durable(OUTBOX)
    static class Payments {

        public void pay(String id) {}
    }

    @RetryOn(IOException.class)
    @Durable(OUTBOX)
    static class Shipments {

        public void ship(String id) {}
    }
}
