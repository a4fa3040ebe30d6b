// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.observe;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCall.Action.What;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableTelemetryAutoConfiguration;
import dev.retryon.durable.internal.call.DurableCalls;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.letter.Letters;
import dev.retryon.durable.internal.store.TestDatabase;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryMetricsAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryTelemetryAutoConfiguration;
import dev.retryon.spring.internal.observe.Payments;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

/** Gauges of what is kept, read from a store that can be anything. */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class StoreGaugesTests {

    private final CallStore store = TestDatabase.calls();

    private final AtomicInteger read = new AtomicInteger();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    RetryDurableCoreAutoConfiguration.class,
                    RetryAutoConfiguration.class,
                    RetryMetricsAutoConfiguration.class,
                    RetryDurableTelemetryAutoConfiguration.class,
                    RetryDurableAutoConfiguration.class,
                    RetryTelemetryAutoConfiguration.class))
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new);

    private final ApplicationContextRunner letters = runner.withBean(Mails.class);

    @Test
    void deadLettersAreCountedByStateWithTheAgeOfTheOldest() {
        put("a", Duration.ofHours(2));
        put("b", Duration.ofHours(1));
        put("c", Duration.ofHours(3));
        store.discard("c", new StoredCall.Action(Instant.now(), null, What.DISCARDED, "no"));
        letters.withBean(CallStore.class, () -> store).run(context -> {
            assertThat(count(context, "dead")).isEqualTo(2);
            assertThat(count(context, "discarded")).isEqualTo(1);
            assertThat(count(context, "waiting")).isZero();
            assertThat(count(context, "resolved")).isZero();
            assertThat(gauge(context, "retryon.deadletters.oldest").value()).isCloseTo(7200, within(300.0));
            assertThat(gauge(context, "retryon.deadletters.oldest").getId().getBaseUnit())
                    .isEqualTo("seconds");
        });
    }

    /** A row might have been edited. */
    @ParameterizedTest
    @CsvSource({"-9223372036854775808, 9.2e15", "9223372036854775807, 0"})
    void anyTimeOfDeathHasAnAge(long millis, double atLeast) {
        store.put(Letters.letter("a", "com.acme.Mails#send()", "[]", Instant.ofEpochMilli(millis)));
        letters.withBean(CallStore.class, () -> store)
                .run(context -> assertThat(
                                gauge(context, "retryon.deadletters.oldest").value())
                        .isBetween(atLeast, atLeast * 1.01));
    }

    @Test
    void whatIsReadIsKeptForSomeSeconds() {
        letters.withBean(CallStore.class, () -> countedReads(() -> {})).run(context -> {
            for (int i = 0; i < 100; i++) {
                assertThat(count(context, "dead")).isZero();
            }
            assertThat(read).hasValueLessThan(100);
            put("a", Duration.ZERO);
            await().atMost(Duration.ofMinutes(1)).until(() -> count(context, "dead") == 1);
        });
    }

    @Test
    void aStoreThatHangsHoldsNoScrapeUp() {
        CountDownLatch hanging = new CountDownLatch(1);
        letters.withBean(CallStore.class, () -> countedReads(() -> hanging.await(10, TimeUnit.MINUTES)))
                .run(context -> {
                    put("a", Duration.ZERO);
                    long start = System.nanoTime();

                    for (int i = 0; i < 1000; i++) {
                        assertThat(count(context, "dead")).isNaN();
                        assertThat(gauge(context, "retryon.deadletters.oldest").value())
                                .isNaN();
                    }

                    // One of them has waited for a second.
                    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(60));
                    assertThat(read).hasValue(1);
                    hanging.countDown();
                    await().atMost(Duration.ofMinutes(1)).until(() -> count(context, "dead") == 1);
                });
    }

    @Test
    void aStoreThatFailsIsCountedAndLoggedOnce(CapturedOutput output) {
        AtomicInteger failures = new AtomicInteger(1);
        letters.withBean(
                        CallStore.class,
                        () -> countedReads(() -> {
                            if (failures.getAndDecrement() > 0) {
                                throw new StackOverflowError("store is broken");
                            }
                        }))
                .run(context -> {
                    assertThat(count(context, "dead")).isNaN();
                    await().atMost(Duration.ofMinutes(1)).until(() -> count(context, "dead") == 0);

                    assertThat(context.getBean(MeterRegistry.class)
                                    .get("retryon.extension.errors")
                                    .tags("kind", "store", "name", "any")
                                    .functionCounter()
                                    .count())
                            .isEqualTo(1);
                    assertThat(output).containsOnlyOnce("dead letters could not be counted (logged once)");
                });
    }

    @Test
    void anApplicationThatKeepsNoCallsOpensNoStore() {
        runner.withBean(CallStore.class, () -> countedReads(() -> {}))
                .withBean(Payments.class)
                .run(context -> {
                    assertThat(context.getBean(MeterRegistry.class).getMeters())
                            .extracting(meter -> meter.getId().getName())
                            .contains("retryon.calls")
                            .noneMatch(name ->
                                    name.startsWith("retryon.deadletters") || name.startsWith("retryon.durable"));
                    assertThat(read).hasValue(0);
                });
    }

    @Test
    void durableCallsThatWaitAreCountedWithTheLagOfTheFirst() {
        Instant due = Instant.now().minusSeconds(600);
        runner.withPropertyValues("spring.datasource.url=jdbc:h2:mem:gauges;DB_CLOSE_DELAY=-1")
                .withPropertyValues("retryon.durable.threads=0")
                .withBean(Orders.class)
                .run(context -> {
                    CallEngine engine = context.getBean(CallEngine.class);
                    for (int i = 0; i < 7; i++) {
                        boolean isLate = i < 2;
                        engine.add(
                                null,
                                "call " + i,
                                new byte[] {1},
                                new CallEngine.Label(
                                        "Orders.order", null, 0, due, isLate ? "unknown-here" : "default", ""),
                                isLate ? due : Instant.now());
                    }
                    await().atMost(Duration.ofMinutes(1))
                            .until(() ->
                                    gauge(context, "retryon.durable.waiting").value() == 7);
                    double lag = gauge(context, "retryon.durable.lag").value();
                    assertThat(lag).isCloseTo(600, within(300.0));
                    assertThat(context.getBean(DurableCalls.class).lanes())
                            .singleElement()
                            .satisfies(lane -> {
                                assertThat(lane.waiting()).isEqualTo(7);
                                assertThat(lane.lag().toMillis() / 1e3).isCloseTo(lag, within(60.0));
                            });
                    assertThat(count(context, "dead")).isZero();
                });
    }

    @Test
    void resentCallsAreCountedInAnApplicationWithoutDurableMethods() {
        letters.withPropertyValues("spring.datasource.generate-unique-name=true")
                .run(context -> {
                    context.getBean(CallStore.class)
                            .put(Letters.letter("a", Mails.class.getName() + "#send()", "[]", Instant.now()));

                    assertThat(context.getBean(StoredCalls.class).resend("a", Duration.ofHours(1)))
                            .isTrue();

                    await().atMost(Duration.ofMinutes(1))
                            .until(() ->
                                    gauge(context, "retryon.durable.waiting").value() == 1);
                });
    }

    @Test
    void whatIsDueLaterDoesNotLag() {
        runner.withPropertyValues("spring.datasource.url=jdbc:h2:mem:nolag;DB_CLOSE_DELAY=-1")
                .withBean(Failing.class)
                .run(context -> {
                    context.getBean(Failing.class).order();

                    assertThat(gauge(context, "retryon.durable.waiting").value())
                            .isEqualTo(1);
                    assertThat(gauge(context, "retryon.durable.lag").value()).isZero();
                });
    }

    private static double count(ApplicationContext context, String state) {
        return context.getBean(MeterRegistry.class)
                .get("retryon.deadletters")
                .tag("state", state)
                .gauge()
                .value();
    }

    private static Gauge gauge(ApplicationContext context, String name) {
        return context.getBean(MeterRegistry.class).get(name).gauge();
    }

    private void put(String id, Duration age) {
        Instant died = Instant.now().minus(age);
        store.put(new DeadLetter(
                id,
                "Mails.send",
                "com.acme.Mails#send()",
                null,
                "[]",
                null,
                "java.io.IOException",
                "down",
                null,
                List.of(),
                1,
                StopReason.EXHAUSTED,
                died,
                died,
                State.DEAD,
                "default",
                null,
                null,
                List.of()));
    }

    /** The store, with something that happens before it counts. */
    private CallStore countedReads(Step before) {
        return Letters.replacing("totals", store, arguments -> {
            read.incrementAndGet();
            before.run();
            return store.totals();
        });
    }

    interface Step {

        void run() throws Exception;
    }

    static class Mails {

        @RetryOn(value = IOException.class, maxAttempts = 2)
        @Durable(ON_EXHAUSTION)
        public void send() throws IOException {
            throw new IOException("down");
        }
    }

    static class Orders {

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void order() throws IOException {}
    }

    static class Failing {

        @RetryOn(value = IOException.class, delay = "1h", maxDelay = "1h")
        @Durable(ON_FAILURE)
        public void order() throws IOException {
            throw new IOException("down");
        }
    }
}
