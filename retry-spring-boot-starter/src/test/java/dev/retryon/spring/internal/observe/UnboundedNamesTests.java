// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.internal.policy.NamedRetries;
import dev.retryon.spring.internal.policy.NamedRetry;
import dev.retryon.spring.module.StarterLog;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Names of retries that come from data, such as the number of a customer. */
class UnboundedNamesTests {

    private static final RetryPolicy POLICY =
            RetryPolicy.builder().retryOn(IOException.class).maxAttempts(2).build();

    private final Logger ours = (Logger) LoggerFactory.getLogger(StarterLog.NAME);

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private final ApplicationContextRunner runner =
            Telemetry.application().withBean(MeterRegistry.class, () -> registry);

    @BeforeEach
    void listen() {
        lines.start();
        ours.addAppender(lines);
    }

    @AfterEach
    void forget() {
        ours.detachAppender(lines);
    }

    private List<String> warnings() {
        return lines.list.stream()
                .filter(line -> line.getLoggerName().equals(StarterLog.NAME) && line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private Set<String> namesInMeters() {
        return registry.getMeters().stream()
                .map(meter -> meter.getId().getTag("name"))
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
    }

    private double successes(String... names) {
        return Stream.of(names)
                .mapToDouble(name -> registry.get("retryon.calls")
                        .tags("name", name, "outcome", "success")
                        .functionCounter()
                        .count())
                .sum();
    }

    private static void callEach(ApplicationContext context, int names) {
        RetryRegistry retries = context.getBean(RetryRegistry.class);
        for (int i = 1; i <= names; i++) {
            assertThat(retries.retry("customer-" + i, POLICY).call(() -> "up")).isEqualTo("up");
        }
    }

    private static void failOnce(ApplicationContext context, String name) {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> context.getBean(RetryRegistry.class)
                        .retry(name, POLICY)
                        .run(() -> {
                            throw new IOException("down");
                        }));
    }

    @Test
    void doNotFillTheMeters() {
        runner.run(context -> {
            int before = registry.getMeters().size();
            callEach(context, 5000);

            // 3006 = 501 names with 6 meters each
            assertThat(registry.getMeters().size() - before).isEqualTo(3006);
            double counted = registry.find("retryon.calls").tag("outcome", "success").functionCounters().stream()
                    .mapToDouble(FunctionCounter::count)
                    .sum();
            assertThat(counted).isEqualTo(5000);
            assertThat(warnings())
                    .singleElement()
                    .asString()
                    .contains("'name'", "'customer-501'", "'other'", "retryon.metrics.max-tag-values");
        });
    }

    @Test
    void shareOneNameAfterTheBoundInMetersAndEndpoint() {
        runner.withPropertyValues("retryon.metrics.max-tag-values=2").run(context -> {
            callEach(context, 4);
            failOnce(context, "customer-1");
            failOnce(context, "customer-3");
            failOnce(context, "customer-5");

            assertThat(namesInMeters())
                    .contains("customer-1", "customer-2", "other")
                    .doesNotContain("customer-3");
            assertThat(successes("other")).isEqualTo(2);
            assertThat(registry.get("retryon.retries")
                            .tag("name", "other")
                            .counter()
                            .count())
                    .isEqualTo(2);
            assertThat(registry.get("retryon.retries")
                            .tag("name", "customer-1")
                            .counter()
                            .count())
                    .isEqualTo(1);
            assertThat(context.getBean(NamedRetries.class).all())
                    .extracting(NamedRetry::name)
                    .contains("customer-1", "customer-2", "other")
                    .doesNotContain("customer-3");
            assertThat(warnings()).hasSize(1);
        });
    }

    @Test
    void areNotThoseOfTheCodeAndTheSettings() {
        runner.withPropertyValues(
                        "retryon.metrics.max-tag-values=1",
                        "retryon.policies.one.exceptions=java.io.IOException",
                        "retryon.policies.two.exceptions=java.io.IOException",
                        "retryon.policies.three.exceptions=java.io.IOException")
                .run(context -> {
                    RetryRegistry retries = context.getBean(RetryRegistry.class);
                    Stream.of("one", "two", "three")
                            .forEach(policy -> retries.retry(policy).call(() -> "up"));
                    callEach(context, 1);
                    context.getBean(Payments.class).charge(2);

                    assertThat(namesInMeters())
                            .contains(
                                    "one",
                                    "two",
                                    "three",
                                    "customer-1",
                                    "Payments.charge",
                                    "Payments.recovered",
                                    "Payments.fail",
                                    "find")
                            .doesNotContain("other");
                    assertThat(warnings()).isEmpty();
                });
    }

    @Test
    void haveTheSameBoundAsTheNamesOfExceptions() {
        runner.withPropertyValues("retryon.metrics.max-tag-values=1").run(context -> {
            Payments payments = context.getBean(Payments.class);
            for (IOException error : List.of(
                    new java.io.FileNotFoundException(), new java.io.EOFException(), new java.net.ConnectException())) {
                assertThatExceptionOfType(IOException.class).isThrownBy(() -> payments.fail(error));
            }

            assertThat(registry.find("retryon.retries")
                            .tag("name", "Payments.fail")
                            .meters())
                    .extracting(Meter::getId)
                    .extracting(id -> id.getTag("exception"))
                    .containsExactlyInAnyOrder("FileNotFoundException", "other");
            assertThat(warnings()).singleElement().asString().contains("'exception'", "'EOFException'");
        });
    }

    @Test
    void needABoundOfAtLeastOne() {
        runner.withPropertyValues("retryon.metrics.max-tag-values=0")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("retryon.metrics.max-tag-values: is '0', but must be at least 1"));
    }
}
