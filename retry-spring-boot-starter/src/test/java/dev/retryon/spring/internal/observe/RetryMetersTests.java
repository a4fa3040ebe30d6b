// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.retryon.Retry;
import dev.retryon.RetryEngine;
import dev.retryon.RetryListener;
import dev.retryon.RetryPolicy;
import dev.retryon.RetrySignal;
import dev.retryon.RetryTime;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryEngineCustomizer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class RetryMetersTests {

    private static final String CHARGE = "Payments.charge";

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private final ApplicationContextRunner runner =
            Telemetry.application().withBean(MeterRegistry.class, () -> registry);

    @Test
    void showsZerosBeforeAnythingHappens() {
        runner.run(context -> {
            assertThat(calls(CHARGE, "success", "none")).isZero();
            assertThat(calls(CHARGE, "success_after_retry", "none")).isZero();
            assertThat(calls(CHARGE, "failure", "exhausted")).isZero();
            assertThat(calls(CHARGE, "failure", "not_retryable")).isZero();
            assertThat(delays(CHARGE).count()).isZero();
            assertThat(waiting(CHARGE)).isZero();
        });
    }

    private Set<String> outcomes(String name) {
        return registry.find("retryon.calls").tag("name", name).meters().stream()
                .map(meter -> String.valueOf(meter.getId().getTag("outcome")))
                .collect(Collectors.toSet());
    }

    @Test
    void countsCancelledCallsAsSuch() {
        runner.run(context -> {
            Retry.builder("later", RetryPolicy.builder().build())
                    .engine(context.getBean(RetryEngine.class))
                    .build()
                    .callAsync(CompletableFuture::new)
                    .cancel(false);
            assertThat(calls("later", "cancelled", "cancelled")).isEqualTo(1);
            assertThat(outcomes("later")).contains("failure");
            assertThat(calls("later", "failure", "exhausted")).isZero();
        });
    }

    @Test
    void tellsDirectivesApart() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            for (RetrySignal signal :
                    List.of(RetrySignal.fail("f"), RetrySignal.discard("d"), RetrySignal.deadLetter("l"))) {
                assertThatExceptionOfType(RetrySignal.class).isThrownBy(() -> payments.refuse(signal));
            }
            assertThat(calls("Payments.refuse", "failure", "fail")).isEqualTo(1);
            assertThat(calls("Payments.refuse", "failure", "discard")).isEqualTo(1);
            assertThat(calls("Payments.refuse", "failure", "dead_letter")).isEqualTo(1);
        });
    }

    @Test
    void countsCallsThatSucceedAtOnceWithoutAnEvent() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            payments.charge(0);
            payments.charge(0, "overload"); // the same name
            assertThat(calls(CHARGE, "success", "none")).isEqualTo(2);
            assertThat(calls(CHARGE, "success_after_retry", "none")).isZero();
        });
    }

    @Test
    void countsEachRetryByItsError() {
        runner.run(context -> {
            context.getBean(Payments.class).charge(2);
            assertThat(retries(CHARGE, "IOException")).isEqualTo(2);
            assertThat(calls(CHARGE, "success_after_retry", "none")).isEqualTo(1);
            assertThat(calls(CHARGE, "success", "none")).isZero();
            assertThat(delays(CHARGE).count()).isEqualTo(2);
            assertThat(delays(CHARGE).totalTime(TimeUnit.MILLISECONDS)).isEqualTo(300); // 100 + 200
        });
    }

    @Test
    void tellsFailuresApartByReason() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> payments.charge(9));
            assertThatIllegalStateException().isThrownBy(() -> payments.refuse(new IllegalStateException("no")));
            assertThat(calls(CHARGE, "failure", "exhausted")).isEqualTo(1);
            assertThat(calls("Payments.refuse", "failure", "not_retryable")).isEqualTo(1);
            assertThat(registry.find("retryon.retries")
                            .tag("name", "Payments.refuse")
                            .meters())
                    .isEmpty();
        });
    }

    @Test
    void countsRecoveredCallsAsSuch() {
        runner.run(context -> {
            assertThat(context.getBean(Payments.class).recovered()).isEqualTo("stood in");
            assertThat(calls("Payments.recovered", "recovered", "exhausted")).isEqualTo(1);
            assertThat(calls("Payments.recovered", "failure", "exhausted")).isZero();
        });
    }

    @Test
    void namesRefusedValuesAndAnonymousErrors() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            payments.find();
            assertThatExceptionOfType(RuntimeException.class).isThrownBy(payments::anonymous);
            assertThat(retries("find", "result")).isEqualTo(2);
            assertThat(retries("Payments.anonymous", "UncheckedIOException")).isEqualTo(2);
        });
    }

    /** An application that reads the gauge while calls wait. */
    private ApplicationContextRunner watching(List<Double> seen) {
        return Telemetry.realTime()
                .withBean(
                        "watching",
                        RetryEngineCustomizer.class,
                        () -> engine -> engine.time(new RetryTime() {
                            @Override
                            public void sleep(Duration delay) {
                                seen.add(waiting(CHARGE));
                            }
                        }))
                .withBean(MeterRegistry.class, () -> registry);
    }

    @Test
    void showsTheCallsThatWait() {
        List<Double> seen = new ArrayList<>();
        watching(seen).run(context -> {
            context.getBean(Payments.class).charge(2);
            assertThat(seen).containsExactly(1.0, 1.0);
            assertThat(waiting(CHARGE)).isZero();
        });
    }

    @Test
    void showsTheCallsThatWaitUnderAnotherPolicy() {
        List<Double> seen = new ArrayList<>();
        watching(seen).run(context -> {
            Payments payments = context.getBean(Payments.class);
            Retries.with(own -> own.maxAttempts(2)).call(() -> payments.charge(1));
            assertThat(seen).containsExactly(1.0);
            assertThat(waiting(CHARGE)).isZero();
        });
    }

    @Test
    void metersCallsWithoutAnnotationsThatUseTheEngine() {
        runner.run(context -> {
            Retry retry = Retry.builder(
                            "catalogue",
                            RetryPolicy.builder().retryOn(IOException.class).build())
                    .engine(context.getBean(RetryEngine.class))
                    .build();
            retry.capture(() -> {
                throw new IOException("down");
            });
            assertThat(calls("catalogue", "failure", "exhausted")).isEqualTo(1);
            assertThat(retries("catalogue", "IOException")).isEqualTo(2);
        });
    }

    /** The recipe of the observability guide. */
    @Test
    void aMeterFilterAddsTags() {
        registry.config().meterFilter(new MeterFilter() {

            @Override
            public Meter.Id map(Meter.Id id) {
                String name = id.getTag("name");
                return name == null ? id : id.withTag(Tag.of("team", "team of " + name));
            }
        });
        runner.run(context -> {
            context.getBean(Payments.class).charge(1);
            assertThat(retries(CHARGE, "IOException")).isEqualTo(1);
            assertThat(meters().filter(meter -> CHARGE.equals(meter.getId().getTag("name"))))
                    .isNotEmpty()
                    .allSatisfy(
                            meter -> assertThat(meter.getId().getTag("team")).isEqualTo("team of " + CHARGE));
        });
    }

    @Test
    void metersHaveTheDocumentedNamesAndKeys() {
        runner.withPropertyValues("retryon.methods.[dev.retryon.spring.internal.observe.Payments].budget=default")
                .withBean(RetryEngineCustomizer.class, () -> engine -> engine.deadLetters(call -> {}))
                .withBean("broken", RetryListener.class, () -> event -> {
                    throw new IllegalStateException("broken");
                })
                .run(context -> {
                    context.getBean(Payments.class).charge(1);
                    DeadLetteredTests.send(context);
                    Set<String> names =
                            meters().map(meter -> meter.getId().getName()).collect(Collectors.toSet());
                    assertThat(names).hasSize(RetryMeterDocumentation.values().length);
                    for (RetryMeterDocumentation documented : RetryMeterDocumentation.values()) {
                        assertThat(meters().filter(
                                                meter -> meter.getId().getName().equals(documented.getName())))
                                .isNotEmpty()
                                .allSatisfy(meter -> {
                                    assertThat(meter.getId().getType()).isEqualTo(documented.getType());
                                    assertThat(meter.getId().getDescription()).isEqualTo(documented.getDescription());
                                    assertThat(meter.getId().getTags())
                                            .extracting(Tag::getKey)
                                            .containsExactlyInAnyOrder(Arrays.stream(documented.getKeyNames())
                                                    .map(key -> key.asString())
                                                    .toArray(String[]::new));
                                });
                    }
                });
    }

    @Test
    void showsBudgets() {
        runner.withPropertyValues(
                        "retryon.budgets.shared.ratio=0",
                        "retryon.budgets.shared.min-per-second=0",
                        "retryon.methods.[dev.retryon.spring.internal.observe.Payments].budget=shared")
                .run(context -> {
                    assertThatExceptionOfType(IOException.class)
                            .isThrownBy(() -> context.getBean(Payments.class).charge(1));
                    assertThat(registry.get("retryon.budget.tokens")
                                    .tag("budget", "shared")
                                    .gauge()
                                    .value())
                            .isZero();
                    assertThat(registry.get("retryon.budget.denied")
                                    .tag("budget", "shared")
                                    .functionCounter()
                                    .count())
                            .isEqualTo(1);
                    assertThat(calls(CHARGE, "failure", "budget")).isEqualTo(1);
                });
    }

    @Test
    void metersNothingIfSwitchedOff() {
        runner.withPropertyValues("retryon.metrics.enabled=false").run(context -> {
            context.getBean(Payments.class).charge(1);
            assertThat(context).doesNotHaveBean(RetryMeters.class);
            assertThat(meters()).isEmpty();
        });
    }

    private Stream<Meter> meters() {
        return registry.getMeters().stream();
    }

    private double calls(String name, String outcome, String reason) {
        return registry.get("retryon.calls").tags("name", name, "outcome", outcome, "reason", reason).meters().stream()
                .mapToDouble(meter -> meter.measure().iterator().next().getValue())
                .sum();
    }

    private double retries(String name, String exception) {
        return registry.get("retryon.retries")
                .tags("name", name, "exception", exception)
                .counter()
                .count();
    }

    private Timer delays(String name) {
        return registry.get("retryon.delay").tag("name", name).timer();
    }

    private double waiting(String name) {
        return registry.get("retryon.waiting").tag("name", name).gauge().value();
    }
}
