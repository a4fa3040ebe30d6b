// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.Retry;
import dev.retryon.RetryPolicy;
import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.spring.OnError;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryEndpointAutoConfiguration;
import dev.retryon.test.RecordedRetries;
import dev.retryon.test.VirtualTime;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.http.HttpStatus;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.reactive.function.client.WebClientResponseException;

/** Different settings for different errors: in annotations, properties, calls and named policies. */
@ExtendWith(OutputCaptureExtension.class)
@SuppressWarnings("serial")
class ErrorRulesTests {

    private static final String PARTNER = "retryon.policies.partner.";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(RetryAutoConfiguration.class, RetryEndpointAutoConfiguration.class))
            .withUserConfiguration(VirtualTimeBeans.class)
            .withPropertyValues(
                    "spring.jmx.enabled=true",
                    "management.endpoints.jmx.exposure.include=*",
                    "retryon.defaults.backoff=fixed",
                    "retryon.defaults.jitter=none");

    /** The waits of a call of which the attempts end with these errors, and then succeeds. */
    private static List<Duration> waits(AssertableApplicationContext context, Throwable... errors) {
        VirtualTime time = context.getBean(RecordedRetries.class).time();
        time.clearWaits();
        context.getBean(Partner.class).outcomes(errors);
        context.getBean(Partner.class).call();
        return time.waits();
    }

    private static List<Duration> seconds(int... seconds) {
        return Arrays.stream(seconds).mapToObj(Duration::ofSeconds).toList();
    }

    private static SQLException sql(String state) {
        return new SQLException("down", state);
    }

    private static final HttpServerErrorException UNAVAILABLE =
            new HttpServerErrorException(HttpStatus.SERVICE_UNAVAILABLE);

    // The annotation.

    @Test
    void aRuleOfAnAnnotationAppliesToItsErrors() {
        runner.withBean(Partner.class, Annotated::new).run(context -> {
            assertThat(waits(context, new Throttled(), new IOException(), new Throttled()))
                    .isEqualTo(seconds(20, 1, 20));
            assertThat(waits(context, sql("40001")))
                    .as("at once, and not recorded as a wait")
                    .isEmpty();
            assertThat(waits(context, UNAVAILABLE, new IllegalStateException(UNAVAILABLE)))
                    .isEqualTo(seconds(5, 5));
            Throwable[] six = new Throwable[6];
            Arrays.fill(six, new Throttled());
            assertThat(waits(context, six)).as("eight attempts").hasSize(6);
            assertThatThrownBy(() -> waits(context, new IOException(), new IOException(), new IOException()))
                    .hasRootCauseInstanceOf(IOException.class);
        });
    }

    @Test
    void anOverridingMethodChangesSingleSettingsOfARule() {
        runner.withBean(Partner.class, Overridden::new)
                .run(context -> assertThat(waits(context, new Throttled(), new Throttled(), new Throttled()))
                        .as("the delay is that of the subclass, the attempts are those of its superclass")
                        .isEqualTo(seconds(30, 30, 30)));
    }

    @Test
    void wrongAnnotationsAreFaults() {
        runner.withBean(Partner.class, Wrong::new)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasMessageContainingAll(
                                "Wrong.call",
                                "'errors' has a rule without an error",
                                "@OnError(codes = \"http.503\", …)",
                                "delay is 'soon'",
                                "budgetCost is '-1.0'",
                                "backoff is 'quick'",
                                "maxDelay is '1s'"));
    }

    // Properties.

    @Test
    void aPolicyHasRulesForClassesAndCodes() {
        runner.withBean(Partner.class, WithPolicy::new)
                .withPropertyValues(
                        PARTNER + "exceptions=java.io.IOException",
                        PARTNER + "max-attempts=4",
                        PARTNER + "errors[java.net.ConnectException].delay=20s",
                        PARTNER + "errors[java.net.ConnectException].maxAttempts=8",
                        PARTNER + "errors[http.503].delay=5s",
                        PARTNER + "errors[http.503].backoff=LINEAR",
                        PARTNER + "errors[sql.08*].delay=30s",
                        PARTNER + "errors[java.net.SocketTimeoutException]=")
                .run(context -> {
                    assertThat(waits(context, new ConnectException(), UNAVAILABLE, UNAVAILABLE))
                            .isEqualTo(seconds(20, 10, 15));
                    assertThat(waits(context, sql("08006"), new SocketTimeoutException()))
                            .isEqualTo(seconds(30, 1));
                });
    }

    @Test
    void rulesInYamlAreWrittenAsInTheGuide() {
        String yaml = """
                {"retryon": {"policies": {"partner": {
                  "exceptions": "java.io.IOException", "delay": "100ms",
                  "errors": {
                    "[java.net.ConnectException]": {"delay": "2s", "max-attempts": 8, "budget-cost": 3},
                    "[http.503]": {"delay": "1s", "backoff": "exponential"},
                    "[sql.40001]": {"delay": 0, "jitter": "full", "max-attempts": 10}}}}}}
                """;
        runner.withBean(Partner.class, WithPolicy::new)
                .withInitializer(context -> {
                    try {
                        context.getEnvironment()
                                .getPropertySources()
                                .addFirst(new YamlPropertySourceLoader()
                                        .load("guide", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
                                        .get(0));
                    } catch (IOException ex) {
                        throw new IllegalStateException(ex);
                    }
                })
                .run(context -> {
                    Map<String, ?> settings = settings(context);
                    assertThat(settings)
                            .containsKeys(
                                    "errors[java.net.ConnectException].budgetCost",
                                    "errors[http.503].backoff",
                                    "errors[sql.40001].maxAttempts");
                    assertThat(waits(context, new ConnectException(), UNAVAILABLE))
                            .isEqualTo(seconds(2, 2));
                });
    }

    @Test
    void layersAddRulesAndMergeThem() {
        runner.withBean(Partner.class, Annotated::new)
                .withPropertyValues(
                        "retryon.defaults.errors[java.net.ConnectException].delay=9s",
                        "retryon.defaults.errors[" + Throttled.class.getName() + "].delay=99s",
                        "retryon.methods[" + Annotated.class.getName() + "#call].errors[http.503].delay=7s",
                        "retryon.defaults.max-attempts=4")
                .run(context -> assertThat(waits(context, new ConnectException(), new Throttled(), UNAVAILABLE))
                        .isEqualTo(seconds(9, 20, 7)));
    }

    @Test
    void wrongPropertiesAreFaultsWithPlaceAndValue() {
        runner.withBean(Partner.class, WithPolicy::new)
                .withPropertyValues(
                        PARTNER + "errors[java.lang.String].delay=1s",
                        PARTNER + "errors[http.503].delay=soon",
                        PARTNER + "errors[http.504].dely=1s",
                        PARTNER + "errors.delay=1s",
                        PARTNER + "errors.http.505.delay=1s",
                        PARTNER + "errors.http.505.jitter=none",
                        PARTNER + "errors[http.502].budget-cost=-1",
                        PARTNER + "errors[http.501].delay=5s",
                        PARTNER + "errors[http.501].max-delay=1s")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasMessageContainingAll(
                                PARTNER + "errors[java.lang.String]",
                                "not an exception class",
                                PARTNER + "errors[http.503].delay",
                                "'soon'",
                                PARTNER + "errors[http.504].dely",
                                "did you mean '" + PARTNER + "errors[http.504].delay'?",
                                PARTNER + "errors.delay",
                                "must be a block of properties",
                                PARTNER + "errors.http.505: is not the code of an error, because it is not in"
                                        + " brackets; write \"[http.505]\"",
                                PARTNER + "errors[http.502].budget-cost",
                                "'-1.0'",
                                PARTNER + "errors[http.501].max-delay"));
    }

    @Test
    void aClassThatOnlyAnotherApplicationHasIsNoFaultInAPolicyThatIsNotUsed() {
        runner.withBean(Partner.class, Annotated::new)
                .withPropertyValues(PARTNER + "errors[com.acme.Missing].delay=1s")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void rulesForExcludedErrorsAreWarnedOf(CapturedOutput output) {
        runner.withBean(Partner.class, WithPolicy::new)
                .withPropertyValues(
                        PARTNER + "errors[java.net.ConnectException].delay=1s",
                        PARTNER + "excludes=java.net.ConnectException")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).contains("java.net.ConnectException is in 'errors'", "in 'excludes'");
    }

    @Test
    void codesOfAnApplicationAreNotTakenForMistakes(CapturedOutput output) {
        runner.withBean(Partner.class, WithPolicy::new)
                .withPropertyValues(
                        PARTNER + "errors[dynamodb.ThrottlingException].delay=1s",
                        PARTNER + "errors[grpc.Unavailable].delay=1s",
                        PARTNER + "errors[http.timeout].delay=1s",
                        PARTNER + "errors[sql.deadlock].delay=1s",
                        PARTNER + "errors.long.delay=1s",
                        PARTNER + "errors[http.5*].delay=1s")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("RETRYON-W");
    }

    @Test
    void theStrongestSpellingOfASettingCounts() {
        runner.withBean(Partner.class, WithPolicy::new)
                .withPropertyValues(PARTNER + "errors[http.503].delay=5s", "retryon.defaults.max-attempts=9")
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addLast(new MapPropertySource(
                                "weak",
                                Map.of(
                                        PARTNER + "errors[http.503].maxattempts", "9",
                                        PARTNER + "errors[http.503].delay", "50s"))))
                .run(context -> assertThat(waits(context, UNAVAILABLE, UNAVAILABLE, UNAVAILABLE))
                        .isEqualTo(seconds(5, 5, 5)));
    }

    @Test
    void aSettingWithoutAValueMakesNoRule() {
        runner.withBean(Partner.class, WithPolicy::new)
                .withPropertyValues(
                        PARTNER + "exceptions=java.io.IOException", PARTNER + "errors[http.500].delay=${none:}")
                .run(context -> assertThat(settings(context)).doesNotContainKey("errors[http.500].schedule"));
    }

    @Test
    void rulesAloneAreEnoughAndAreNotWarnedOf(CapturedOutput output) {
        runner.withBean(Partner.class, WithPolicy::new)
                .withPropertyValues(
                        PARTNER + "errors[http.503].delay=1s",
                        PARTNER + "errors[acme.busy].delay=1s",
                        PARTNER + "errors[grpc.UNAVAILABLE].delay=1s")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("RETRYON-W");
    }

    @Test
    void theLimitOfAttemptsHoldsForRules() {
        runner.withBean(Partner.class, Annotated::new)
                .withPropertyValues("retryon.limits.max-attempts=2")
                .run(context -> {
                    assertThatThrownBy(() -> waits(context, new Throttled(), new Throttled(), new Throttled()))
                            .isInstanceOf(Throttled.class);
                    assertThat(settings(context).get("errors[" + Throttled.class.getName() + "].maxAttempts"))
                            .asString()
                            .contains("value=2", "retryon.limits.max-attempts");
                });
    }

    @Test
    void aBackoffOfARuleCanBeABeanOrAMethod() {
        runner.withBean(Partner.class, Annotated::new)
                .withBean(
                        "rising",
                        BackoffStrategy.class,
                        () -> (retry, base, previous) -> Duration.ofSeconds(40 + retry))
                .withPropertyValues(
                        "retryon.defaults.errors[java.net.ConnectException].backoff=rising",
                        "retryon.defaults.errors[java.io.FileNotFoundException].backoff=own")
                .run(context -> assertThat(waits(context, new ConnectException(), new FileNotFoundException()))
                        .isEqualTo(seconds(41, 50)));
    }

    // The endpoint.

    private static Map<String, ?> settings(AssertableApplicationContext context) {
        var retried = context.getBean(RetryOnEndpoint.class).retries().retries().get(0);
        return retried.methods().get(0).settings();
    }

    @Test
    void theEndpointShowsRulesWithSourcesAndSchedules() {
        runner.withBean(Partner.class, Annotated::new)
                .withPropertyValues("retryon.defaults.errors[http.503].max-attempts=3")
                .run(context -> {
                    Map<String, ?> settings = settings(context);
                    assertThat(settings).doesNotContainKey("errors");
                    assertThat(settings.get("errors[http.503].delay"))
                            .asString()
                            .contains("5s", "@RetryOn on", "Annotated.call");
                    assertThat(settings.get("errors[http.503].maxAttempts"))
                            .asString()
                            .contains("value=3", "retryon.defaults.errors[http.503]");
                    assertThat(settings.get("errors[http.503].schedule"))
                            .asString()
                            .contains("[5s, 5s]", "retryon.defaults.errors[http.503]", "@RetryOn on");
                });
    }

    // Calls, code and named policies.

    @Test
    void aCallCanHaveRules() {
        runner.withBean(Partner.class, Annotated::new).run(context -> {
            List<Duration> waits = Retries.with(settings -> settings.onError(
                                    ConnectException.class, rule -> rule.delay(Duration.ofSeconds(60)))
                            .onErrorCode("http.503", rule -> rule.budgetCost(2).maxAttempts(5)))
                    .call(() -> waits(context, new ConnectException(), UNAVAILABLE));
            assertThat(waits).isEqualTo(seconds(60, 5));
            assertThatThrownBy(() -> Retries.with(settings -> settings.maxAttempts(2))
                            .call(() -> waits(context, new Throttled(), new Throttled(), new Throttled())))
                    .as("a call overrides rules")
                    .isInstanceOf(Throttled.class);
        });
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        Retries.with(call -> call.onErrorCode("http.503", rule -> rule.timeout(Duration.ZERO))))
                .withMessageContainingAll("http.503", "timeout", "maxDelay");
        assertThatIllegalArgumentException().isThrownBy(() -> Retries.with(call -> call.onErrorCode(" ", rule -> {})));
    }

    @Test
    void whatACallSetsForAllErrorsHoldsForRules() {
        runner.withBean(Partner.class, Annotated::new).run(context -> {
            List<Duration> capped = Retries.with(settings -> settings.maxDelay(Duration.ofSeconds(3)))
                    .call(() -> waits(context, new Throttled(), UNAVAILABLE));
            assertThat(capped).as("20s and 5s in the annotation").isEqualTo(seconds(3, 3));

            List<Duration> longer = Retries.with(settings -> settings.delay(Duration.ofSeconds(40)))
                    .call(() -> waits(context, new Throttled()));
            assertThat(longer).isEqualTo(seconds(40));

            List<Duration> inner = Retries.with(
                            settings -> settings.onError(Throttled.class, rule -> rule.delay(Duration.ofSeconds(60))))
                    .call(() -> Retries.with(settings -> settings.delay(Duration.ofSeconds(2)))
                            .call(() -> waits(context, new Throttled())));
            assertThat(inner).as("the inner call is stronger").isEqualTo(seconds(2));

            List<Duration> cut = Retries.with(
                            settings -> settings.onError(Throttled.class, rule -> rule.delay(Duration.ofSeconds(60))))
                    .call(() -> Retries.with(settings -> settings.maxDelay(Duration.ofSeconds(4)))
                            .call(() -> waits(context, new Throttled())));
            assertThat(cut)
                    .as("the inner maximum cuts the delay of the outer rule")
                    .isEqualTo(seconds(4));
        });
    }

    @Test
    void settingsThatOnlyRulesUseAreNotWarnedOf(CapturedOutput output) {
        runner.withBean(Partner.class, OnlyRules::new)
                .run(context -> assertThat(waits(context, new ConnectException(), new SocketTimeoutException()))
                        .hasSize(2));
        assertThat(output).doesNotContain("RETRYON-W");
    }

    @Test
    void aLimitThatARuleExceedsIsWarnedOfWithItsSource(CapturedOutput output) {
        runner.withBean(Partner.class, Annotated::new)
                .withPropertyValues(
                        "retryon.limits.max-attempts=9", "retryon.defaults.errors[http.503].max-attempts=12")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).contains("maxAttempts 12 (retryon.defaults.errors[http.503])");
    }

    @Test
    void thePolicyForDatabasesNeedsNoConfiguration() {
        runner.withBean(Partner.class, ForDatabase::new).run(context -> {
            assertThat(waits(
                            context,
                            new CannotAcquireLockException("locked"),
                            new OptimisticLockingFailureException("changed"),
                            new IllegalStateException(sql("40P01"))))
                    .hasSize(3)
                    .allMatch(wait -> wait.compareTo(Duration.ofSeconds(1)) < 0);
            assertThat(waits(context, sql("08006"))).allMatch(wait -> wait.toMillis() >= 500);
            assertThatThrownBy(() -> waits(context, new DataIntegrityViolationException("twice", sql("23505"))))
                    .isInstanceOf(DataIntegrityViolationException.class);
            assertThat(settings(context).get("delay")).asString().contains("built-in policy jdbc-transient");
        });
    }

    @Test
    void aShortMaximumDelayCutsTheDelayOfABuiltInPolicy() {
        runner.withBean(Partner.class, ForDatabase::new)
                .withPropertyValues("retryon.policies.jdbc-transient.max-delay=10ms")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(waits(context, sql("40P01")))
                            .allMatch(wait -> wait.compareTo(Duration.ofMillis(10)) <= 0);
                });
    }

    @Test
    void aPolicyOfAnApplicationExtendsTheBuiltInOneOfItsName() {
        runner.withBean(Partner.class, ForDatabase::new)
                .withPropertyValues("retryon.policies.jdbc-transient.errors[sql.40P01].delay=7s")
                .run(context -> {
                    Map<String, ?> settings = settings(context);
                    assertThat(settings.get("errors[sql.40P01].delay"))
                            .asString()
                            .contains("7s", "retryon.policies.jdbc-transient");
                    assertThat(settings.get("errors[sql.08*].delay"))
                            .asString()
                            .contains("1s", "built-in policy jdbc-transient");
                    assertThat(settings.get("maxAttempts")).asString().contains("4");
                });
    }

    @Test
    void thePolicyForHttpNeedsNoConfiguration() {
        runner.withBean(Partner.class, Annotated::new).run(context -> {
            Retry retry = context.getBean(RetryRegistry.class).retry("http-transient");
            RetryPolicy policy = retry.policy();
            assertThat(policy.errorRules()).containsKeys("http.429", "http.503").doesNotContainKey("http.500");
            int[] attempts = new int[1];
            String answer = retry.call(() -> {
                if (++attempts[0] < 3) {
                    throw WebClientResponseException.create(503, "busy", null, null, null);
                }
                return "up";
            });
            assertThat(answer).isEqualTo("up");
        });
    }

    /** Its attempts end with the errors that a test sets, and then succeed. */
    abstract static class Partner {

        private @Nullable Throwable[] errors = {};

        private int attempt;

        void outcomes(Throwable... errors) {
            this.errors = errors;
            this.attempt = 0;
        }

        public abstract String call();

        String attempt() {
            if (attempt < errors.length) {
                sneak(errors[attempt++]);
            }
            return "up";
        }

        @SuppressWarnings("unchecked")
        private static <X extends Throwable> void sneak(@Nullable Throwable error) throws X {
            throw (X) error;
        }
    }

    static class Annotated extends Partner {

        @Override
        @RetryOn(
                exceptions = IOException.class,
                errors = {
                    @OnError(value = Throttled.class, delay = "20s", maxAttempts = 8),
                    @OnError(codes = "sql.40001", delay = "${partner.conflict:0}"),
                    @OnError(
                            codes = {"http.503", "http.504"},
                            delay = "5s")
                })
        public String call() {
            return attempt();
        }

        Duration own(int retry, Duration base) {
            return Duration.ofSeconds(50);
        }
    }

    static class Overridden extends Annotated {

        @Override
        @RetryOn(errors = @OnError(value = Throttled.class, delay = "30s"))
        public String call() {
            return attempt();
        }
    }

    static class WithPolicy extends Partner {

        @Override
        @RetryOn(policy = "partner")
        public String call() {
            return attempt();
        }
    }

    static class ForDatabase extends Partner {

        @Override
        @RetryOn(policy = "jdbc-transient")
        public String call() {
            return attempt();
        }
    }

    /** The delay of the method is not below its timeout, and its backoff has no multiplier; but both do not matter. */
    static class OnlyRules extends Partner {

        @Override
        @RetryOn(
                backoff = "fixed",
                multiplier = 3,
                timeout = "900ms",
                errors = {
                    @OnError(value = ConnectException.class, delay = "50ms", backoff = "exponential"),
                    @OnError(codes = "java.net.SocketTimeoutException", delay = "10ms")
                })
        public String call() {
            return attempt();
        }
    }

    static class Wrong extends Partner {

        @Override
        @RetryOn(
                exceptions = IOException.class,
                errors = {
                    @OnError(delay = "1s"),
                    @OnError(value = Throttled.class, delay = "soon"),
                    @OnError(value = ConnectException.class, budgetCost = -1),
                    @OnError(codes = "http.503", backoff = "quick"),
                    @OnError(codes = "http.504", delay = "5s", maxDelay = "1s")
                })
        public String call() {
            return attempt();
        }
    }

    static class Throttled extends RuntimeException {}
}
