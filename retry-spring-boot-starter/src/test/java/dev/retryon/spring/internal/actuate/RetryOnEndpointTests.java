// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import dev.retryon.Retry;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import dev.retryon.RetrySignal;
import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.spring.Inherit;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryEndpointAutoConfiguration;
import dev.retryon.spring.internal.actuate.RetriedDescription.RetriedMethodDescription;
import dev.retryon.spring.internal.actuate.RetriedDescription.SettingDescription;
import dev.retryon.spring.internal.actuate.RetriedDescription.Wait;
import dev.retryon.spring.internal.observe.Payments;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

class RetryOnEndpointTests {

    @Test
    void showThePlaceholderOfAnErrorCodeInPlaceOfItsValue() {
        ApplicationContextRunner shop =
                runner.withBean(WithSecretCode.class).withPropertyValues("secret.code=hidden.code");
        shop.run(context -> assertThat(codes(context)).containsExactly("${secret.code}", "auth.*"));
        shop.withPropertyValues("management.endpoint.retryon.show-values=always")
                .run(context -> assertThat(codes(context)).containsExactly("hidden.code", "auth.*"));
    }

    @SuppressWarnings("unchecked")
    private static List<String> codes(AssertableApplicationContext context) {
        return (List<String>) context.getBean(RetryOnEndpoint.class)
                .retried("WithSecretCode.send")
                .methods()
                .get(0)
                .settings()
                .get("nonRetryableErrors")
                .value();
    }

    static class WithSecretCode {

        @RetryOn(
                value = IOException.class,
                nonRetryableErrors = {"${secret.code}", "auth.*"})
        public void send() {}
    }

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(RetryAutoConfiguration.class, RetryEndpointAutoConfiguration.class))
            .withUserConfiguration(VirtualTimeBeans.class)
            .withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=*")
            .withBean(Payments.class);

    @Test
    void listsEverythingThatIsRetriedByName() {
        runner.run(context -> assertThat(endpoint(context).retries().retries())
                .extracting(RetriedDescription::name)
                .containsExactly(
                        "Payments.anonymous",
                        "Payments.charge",
                        "Payments.fail",
                        "Payments.outer",
                        "Payments.recovered",
                        "Payments.refuse",
                        "find"));
    }

    @Test
    void tellsOverloadsApart() {
        runner.run(context -> assertThat(retried(context, "Payments.charge").methods())
                .extracting(RetriedMethodDescription::signature, RetriedMethodDescription::beanClass)
                .containsExactly(
                        tuple(Payments.class.getName() + "#charge(int)", Payments.class.getName()),
                        tuple(Payments.class.getName() + "#charge(int,String)", Payments.class.getName())));
    }

    @Test
    void knowsNothingOfOtherNames() {
        runner.run(context -> assertThat(endpoint(context).retried("nobody")).isNull());
    }

    @Test
    void showsEachSettingWithItsSources() {
        runner.withPropertyValues(
                        "retryon.methods[" + Payments.class.getName() + "#charge].max-delay=150ms",
                        "retryon.defaults.exceptions=java.util.concurrent.TimeoutException",
                        "retryon.methods[" + Payments.class.getName() + "#charge(int)].max-attempts=4")
                .run(context -> {
                    RetriedMethodDescription charge =
                            retried(context, "Payments.charge").methods().get(0);
                    assertThat(charge.settings())
                            .containsEntry(
                                    "maxAttempts",
                                    new SettingDescription(
                                            4,
                                            List.of("retryon.methods[" + Payments.class.getName() + "#charge(int)]")))
                            .containsEntry(
                                    "maxDelay",
                                    new SettingDescription(
                                            "150ms",
                                            List.of("retryon.methods[" + Payments.class.getName() + "#charge]")))
                            .containsEntry("backoff", new SettingDescription("exponential", List.of("default")))
                            .containsEntry("multiplier", new SettingDescription(2.0, List.of("default")))
                            .containsEntry("retryable", new SettingDescription(true, List.of("default")));
                    assertThat(charge.settings().get("exceptions"))
                            .isEqualTo(new SettingDescription(
                                    List.of("java.util.concurrent.TimeoutException", "java.io.IOException"),
                                    List.of("retryon.defaults", sourceOfAnnotation(charge))));
                    assertThat(charge.schedule())
                            .containsExactly(
                                    new Wait(1, "PT0.1S", "PT0.1S"),
                                    new Wait(2, "PT0.15S", "PT0.15S"),
                                    new Wait(3, "PT0.15S", "PT0.15S"));
                });
    }

    private static String sourceOfAnnotation(RetriedMethodDescription method) {
        return method.settings().get("delay").sources().get(0);
    }

    @Test
    void showsWhatALimitHasLowered() {
        runner.withPropertyValues("retryon.limits.max-attempts=2")
                .run(context -> assertThat(retried(context, "Payments.charge")
                                .methods()
                                .get(0)
                                .settings()
                                .get("maxAttempts"))
                        .isEqualTo(new SettingDescription(2, List.of("default", "retryon.limits.max-attempts"))));
    }

    @Test
    void showsPoliciesThatNobodyUsesToo() {
        runner.withPropertyValues(
                        "retryon.defaults.delay=2s",
                        "retryon.policies.payments.max-attempts=5",
                        "retryon.policies.other.jitter=none")
                .run(context -> {
                    List<RetryOnEndpoint.Policy> policies =
                            endpoint(context).retries().policies();
                    assertThat(policies)
                            .extracting(RetryOnEndpoint.Policy::name)
                            .containsExactly("other", "payments");
                    assertThat(policies.get(1).settings())
                            .containsEntry(
                                    "maxAttempts", new SettingDescription(5, List.of("retryon.policies.payments")))
                            .containsEntry("delay", new SettingDescription("2s", List.of("retryon.defaults")))
                            .containsEntry("backoff", new SettingDescription("exponential", List.of("default")));
                });
    }

    @Test
    void showsBudgets() {
        runner.withPropertyValues(
                        "retryon.budgets.shared.ratio=0",
                        "retryon.budgets.shared.min-per-second=0",
                        "retryon.methods[" + Payments.class.getName() + "].budget=shared")
                .run(context -> {
                    assertThatExceptionOfType(IOException.class)
                            .isThrownBy(() -> context.getBean(Payments.class).charge(1));
                    assertThat(endpoint(context).retries().budgets())
                            .containsExactly(new RetryOnEndpoint.Budget("shared", 0, 1, 0));
                    assertThat(retried(context, "Payments.charge").calls().failure())
                            .containsOnly(entry("budget", 1L));
                });
    }

    @Test
    void countsCancelledCallsApart() {
        runner.run(context -> {
            Retry.builder("later", RetryPolicy.builder().build())
                    .engine(context.getBean(RetryEngine.class))
                    .build()
                    .callAsync(CompletableFuture::new)
                    .cancel(false);
            RetriedDescription later = retried(context, "later");
            assertThat(later.calls().cancelled()).isEqualTo(1);
            assertThat(later.calls().failure()).isEmpty();
            assertThat(later.lastFailure()).isNull();
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
            assertThat(retried(context, "Payments.refuse").calls().failure())
                    .containsOnly(entry("fail", 1L), entry("discard", 1L), entry("dead_letter", 1L));
        });
    }

    @Test
    void showsNoResolvedSecret() {
        ApplicationContextRunner gated =
                runner.withBean(Gated.class).withPropertyValues("my.api.password=s3cret''s", "my.api.pin=471100");
        gated.run(context -> {
            assertThat(retried(context, "gated")
                            .methods()
                            .get(0)
                            .settings()
                            .get("onlyIf")
                            .value())
                    .isEqualTo("#p0 != '******' and #p0 != ****** and #attempt < ******");
            assertThat(endpoint(context).retries().toString()).doesNotContain("s3cret", "471100");
        });
        gated.withPropertyValues("management.endpoint.retryon.show-values=always")
                .run(context -> assertThat(retried(context, "gated")
                                .methods()
                                .get(0)
                                .settings()
                                .get("onlyIf")
                                .value())
                        .isEqualTo("#p0 != 's3cret''s' and #p0 != 471100 and #attempt < 3"));
    }

    static class Gated {

        @RetryOn(
                value = IOException.class,
                name = "gated",
                onlyIf = "#p0 != '${my.api.password}' and #p0 != ${my.api.pin} and #attempt < 3")
        public void gated(Object argument) {}
    }

    @Test
    void showsTenWaitsAtMost() {
        runner.withPropertyValues("retryon.methods[" + Payments.class.getName() + "].max-attempts=1000")
                .run(context -> assertThat(retried(context, "Payments.outer")
                                .methods()
                                .get(0)
                                .schedule())
                        .hasSize(10));
    }

    @Test
    void showsThatABackoffOfTheBeanDependsOnTheCall() {
        runner.withBean(Paced.class).run(context -> {
            RetriedMethodDescription paced =
                    retried(context, "Paced.order").methods().get(0);

            assertThat(paced.scheduleDependsOnCall()).isTrue();
            assertThat(paced.schedule()).containsExactly(new Wait(1, "PT0S", "PT9S"), new Wait(2, "PT0S", "PT9S"));
            assertThat(retried(context, "Payments.outer").methods().get(0).scheduleDependsOnCall())
                    .isFalse();
        });
    }

    @Test
    void showsWhoSaysThatWeakerAnnotationsDoNotCount() {
        List<String> sources = List.of("@RetryOn on " + Fresh.class.getName() + ".order");
        runner.withBean(Fresh.class).run(context -> {
            assertThat(retried(context, "Fresh.order").methods().get(0).settings())
                    .containsEntry("inherit", new SettingDescription("none", sources));
            assertThat(retried(context, "Payments.charge").methods())
                    .allSatisfy(method -> assertThat(method.settings()).doesNotContainKey("inherit"));
        });
    }

    static class Fresh {

        @RetryOn(value = IOException.class, inherit = Inherit.NONE)
        public void order() {}
    }

    static class Paced {

        @RetryOn(value = IOException.class, backoff = "pace", maxDelay = "9s")
        public void order() {}

        Duration pace(int retry, Duration base) {
            throw new IllegalStateException("not asked to show a schedule");
        }
    }

    @Test
    void countsCallsByOutcomeAndReason() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            payments.charge(0);
            payments.charge(2);
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> payments.charge(9));
            assertThatIllegalStateException().isThrownBy(() -> payments.refuse(new IllegalStateException("no")));
            payments.recovered();

            RetriedDescription charge = retried(context, "Payments.charge");
            assertThat(charge.calls().success()).isEqualTo(1);
            assertThat(charge.calls().successAfterRetry()).isEqualTo(1);
            assertThat(charge.calls().failure()).containsOnly(entry("exhausted", 1L));
            assertThat(charge.calls().recovered()).isEmpty();
            assertThat(charge.retries()).isEqualTo(4); // 2 + 2
            assertThat(charge.waiting()).isZero();
            assertThat(retried(context, "Payments.refuse").calls().failure()).containsOnly(entry("not_retryable", 1L));
            assertThat(retried(context, "Payments.recovered").calls().recovered())
                    .containsOnly(entry("exhausted", 1L));
        });
    }

    @Test
    void showsTheLastFailureWithoutItsMessage() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            assertThat(retried(context, "Payments.charge").lastFailure()).isNull();
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> payments.charge(9, "secret"));
            RetriedDescription.LastFailure last =
                    retried(context, "Payments.charge").lastFailure();
            assertThat(last.exception()).isEqualTo("java.io.IOException");
            assertThat(last.reason()).isEqualTo("exhausted");
            assertThat(last.attempts()).isEqualTo(3);
            assertThat(last.recovered()).isFalse();
            assertThat(endpoint(context).retries().toString()).doesNotContain("secret");
        });
    }

    @Test
    void saysNothingOfSuccessesThatNobodyCounts() {
        runner.withPropertyValues("retryon.metrics.enabled=false").run(context -> {
            context.getBean(Payments.class).charge(0);
            context.getBean(Payments.class).charge(1);
            assertThat(retried(context, "Payments.charge").calls().success()).isNull();
            assertThat(retried(context, "Payments.charge").calls().successAfterRetry())
                    .isEqualTo(1);
        });
    }

    @Test
    void showsCallsWithoutAnnotationsThatUseTheEngine() {
        runner.run(context -> {
            Retry.builder("catalogue", RetryPolicy.builder().build())
                    .engine(context.getBean(RetryEngine.class))
                    .build()
                    .capture(() -> {
                        throw new IOException("down");
                    });
            assertThat(retried(context, "catalogue").methods()).isEmpty();
            assertThat(retried(context, "catalogue").calls().success()).isNull();
            assertThat(retried(context, "catalogue").calls().failure()).containsKey("not_retryable");
            assertThat(endpoint(context).retries().retries())
                    .extracting(RetriedDescription::name)
                    .contains("catalogue");
        });
    }

    @Test
    void showsRetriesOfTheRegistryWithTheirSources() {
        runner.withPropertyValues(
                        "retryon.defaults.delay=200ms",
                        "retryon.limits.max-attempts=6",
                        "retryon.policies.bank.max-attempts=9",
                        "retryon.policies.bank.exceptions=java.io.IOException")
                .run(context -> {
                    RetryRegistry registry = context.getBean(RetryRegistry.class);
                    registry.retry("bank").call(() -> "up");
                    registry.retry(
                            "orders",
                            RetryPolicy.builder()
                                    .retryOn(IOException.class)
                                    .backoff(new Secret())
                                    .timeout(Duration.ofMinutes(1))
                                    .build());

                    RetriedDescription bank = retried(context, "bank");
                    assertThat(bank.methods()).isEmpty();
                    assertThat(bank.calls().success()).isEqualTo(1);
                    assertThat(bank.registered().settings())
                            .containsEntry(
                                    "maxAttempts",
                                    new SettingDescription(
                                            6, List.of("retryon.policies.bank", "retryon.limits.max-attempts")))
                            .containsEntry("delay", new SettingDescription("200ms", List.of("retryon.defaults")))
                            .containsEntry("jitter", new SettingDescription("50%", List.of("default")));
                    assertThat(bank.registered().schedule()).hasSize(5); // 5 = 6 - 1
                    List<String> code = List.of("code");
                    assertThat(retried(context, "orders").registered().settings())
                            .containsEntry("exceptions", new SettingDescription(List.of("java.io.IOException"), code))
                            .containsEntry("maxAttempts", new SettingDescription(3, code))
                            .containsEntry("backoff", new SettingDescription(Secret.class.getName(), code))
                            .containsEntry("timeout", new SettingDescription("1m", code));
                    assertThat(endpoint(context).retries().retries())
                            .extracting(RetriedDescription::name)
                            .contains("bank", "orders");
                    assertThat(retried(context, "Payments.charge").registered()).isNull();
                });
    }

    /** A strategy that nobody should print. */
    private static final class Secret implements BackoffStrategy {

        @Override
        public Duration delay(int retry, Duration base, Duration previous) {
            return base;
        }

        @Override
        public String toString() {
            throw new IllegalStateException("printed");
        }
    }

    private static RetryOnEndpoint endpoint(ApplicationContext context) {
        return context.getBean(RetryOnEndpoint.class);
    }

    private static RetriedDescription retried(ApplicationContext context, String name) {
        RetriedDescription retried = endpoint(context).retried(name);
        assertThat(retried).isNotNull();
        return retried;
    }
}
