// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.retryon.RetryListener;
import dev.retryon.backoff.Jitter;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import dev.retryon.spring.module.Setting;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Placeholders and expressions in the string attributes of {@code @RetryOn}. */
class PlaceholdersTests {

    private final ApplicationContextRunner runner = Applications.retrying()
            .withBean(WithPlaceholders.class)
            .withBean(WithExpressions.class)
            .withBean("alerts", RetryListener.class, () -> event -> {})
            .withPropertyValues(
                    "my.policy=bank",
                    "my.name=billing",
                    "my.attempts=8",
                    "my.multiplier=1.5",
                    "my.backoff=linear",
                    "my.delay=2s",
                    "my.max-delay=3s",
                    "my.jitter=+1s",
                    "my.timeout=4s",
                    "my.attempt-timeout=5s",
                    "my.budget=shared",
                    "my.budget-key=#args.length",
                    "my.code=auth.*",
                    "my.only-if=#attempt < 2",
                    "my.unless=#attempt > 5",
                    "my.retry-if=#result == null",
                    "my.recover=standIn",
                    "my.before-retry=ready",
                    "retryon.policies.bank.excludes=java.io.FileNotFoundException",
                    "retryon.budgets.shared.ratio=0.5");

    static Stream<Arguments> attributes() {
        return Stream.of(
                arguments(Setting.NON_RETRYABLE_ERRORS, Set.of("auth.*", "plain")),
                arguments(Setting.MAX_ATTEMPTS, 8),
                arguments(Setting.MULTIPLIER, 1.5),
                arguments(Setting.BACKOFF, "linear"),
                arguments(Setting.DELAY, Duration.ofSeconds(2)),
                arguments(Setting.MAX_DELAY, Duration.ofSeconds(3)),
                arguments(Setting.JITTER, Jitter.additive(Duration.ofSeconds(1))),
                arguments(Setting.TIMEOUT, Duration.ofSeconds(4)),
                arguments(Setting.ATTEMPT_TIMEOUT, Duration.ofSeconds(5)),
                arguments(Setting.BUDGET, "shared"),
                arguments(Setting.BUDGET_KEY, "#args.length"),
                arguments(Setting.ONLY_IF, "#attempt < 2"),
                arguments(Setting.UNLESS, "#attempt > 5"),
                arguments(Setting.RETRY_IF, "#result == null"),
                arguments(Setting.RECOVER, "standIn"),
                arguments(Setting.BEFORE_RETRY, "ready"),
                arguments(Setting.EXCLUDES, Set.of(FileNotFoundException.class)));
    }

    @ParameterizedTest
    @MethodSource("attributes")
    void resolvesPlaceholders(Setting<?> key, Object value) {
        runner.run(context -> assertThat(Applications.settings(context, WithPlaceholders.class, "run")
                        .values()
                        .get(key)
                        .value())
                .isEqualTo(value));
    }

    @ParameterizedTest
    @MethodSource("attributes")
    void resolvesExpressions(Setting<?> key, Object value) {
        runner.run(context -> assertThat(Applications.settings(context, WithExpressions.class, "run")
                        .values()
                        .get(key)
                        .value())
                .isEqualTo(value));
    }

    @Test
    void resolvesTheName() {
        runner.run(context -> {
            assertThat(Applications.method(context, WithPlaceholders.class, "run")
                            .name())
                    .isEqualTo("billing");
            assertThat(Applications.method(context, WithExpressions.class, "run")
                            .name())
                    .isEqualTo("billing");
        });
    }

    @Test
    void coversEveryStringAttribute() {
        // A new string attribute has to be added to the beans below, and to the list of attributes above.
        RetryOn annotation = annotation(WithPlaceholders.class);
        assertThat(Arrays.stream(RetryOn.class.getDeclaredMethods())
                        .filter(attribute -> attribute.getReturnType() == String.class)
                        .filter(attribute -> !value(attribute, annotation).startsWith("${my."))
                        .map(Method::getName))
                .isEmpty();
    }

    @Test
    void anUnknownPlaceholderIsAFaultThatNamesTheAttribute() {
        Applications.retrying()
                .withBean(Unknown.class)
                .run(context -> assertThat(Applications.faults(context))
                        .extracting(RetryFault::toString)
                        .satisfiesExactlyInAnyOrder(
                                fault -> assertThat(fault)
                                        .contains(
                                                "@RetryOn on " + Unknown.class.getName() + ".run",
                                                "delay is '${my.delya}'"),
                                fault -> assertThat(fault).contains("recover is '#{nobody.name}'")));
    }

    @Test
    void aPlaceholderMayHaveADefault() {
        Applications.retrying().withBean(Defaulted.class).run(context -> {
            assertThat(Applications.settings(context, Defaulted.class, "run").get(Setting.DELAY))
                    .isEqualTo(Duration.ofMillis(30));
            assertThat(Applications.settings(context, Defaulted.class, "run").isSet(Setting.TIMEOUT))
                    .as("empty says nothing")
                    .isFalse();
        });
    }

    @Test
    void theTextsWinOverTheNumbers() {
        Applications.retrying().withBean(Defaulted.class).run(context -> {
            assertThat(Applications.settings(context, Defaulted.class, "run").get(Setting.MAX_ATTEMPTS))
                    .isEqualTo(6);
            assertThat(Applications.settings(context, Defaulted.class, "run").get(Setting.MULTIPLIER))
                    .as("an empty one does not")
                    .isEqualTo(3.0);
        });
    }

    @Test
    void aResolvedValueIsCheckedLikeAWrittenOne() {
        Applications.retrying()
                .withBean(Defaulted.class)
                .withPropertyValues("attempts=many", "delay=5 parsecs")
                .run(context -> assertThat(Applications.faults(context))
                        .extracting(RetryFault::problem)
                        .satisfiesExactlyInAnyOrder(
                                problem -> assertThat(problem).contains("maxAttempts is 'many'", "whole number"),
                                problem -> assertThat(problem).contains("delay is '5 parsecs'", "500ms")));
    }

    private static RetryOn annotation(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(RetryOn.class))
                .findFirst()
                .orElseThrow()
                .getAnnotation(RetryOn.class);
    }

    private static String value(Method attribute, RetryOn annotation) {
        try {
            return (String) attribute.invoke(annotation);
        } catch (ReflectiveOperationException ex) {
            throw new IllegalStateException(ex);
        }
    }

    static class WithPlaceholders {

        @RetryOn(
                value = IOException.class,
                policy = "${my.policy}",
                name = "${my.name}",
                maxAttemptsString = "${my.attempts}",
                multiplierString = "${my.multiplier}",
                backoff = "${my.backoff}",
                delay = "${my.delay}",
                maxDelay = "${my.max-delay}",
                jitter = "${my.jitter}",
                timeout = "${my.timeout}",
                attemptTimeout = "${my.attempt-timeout}",
                budget = "${my.budget}",
                budgetKey = "${my.budget-key}",
                nonRetryableErrors = {"${my.code}", "plain"},
                onlyIf = "${my.only-if}",
                unless = "${my.unless}",
                retryIf = "${my.retry-if}",
                recover = "${my.recover}",
                beforeRetry = "${my.before-retry}")
        public String run() {
            return "";
        }

        String standIn(IOException error) {
            return "";
        }

        void ready() {}
    }

    static class WithExpressions {

        @RetryOn(
                value = IOException.class,
                policy = "#{'ba' + 'nk'}",
                name = "#{environment['my.name']}",
                maxAttemptsString = "#{4 * 2}",
                multiplierString = "#{3 / 2.0}",
                backoff = "#{'lin'}ear",
                delay = "#{1 + 1}s",
                maxDelay = "#{'${my.max-delay}'}",
                jitter = "+#{1}s",
                timeout = "PT#{4}S",
                attemptTimeout = "#{5}s",
                budget = "#{'shared'}",
                budgetKey = "#args.#{'length'}",
                nonRetryableErrors = {"#{'auth'}.*", "#{'plain'}"},
                onlyIf = "#{'#attempt < 2'}",
                unless = "#attempt > #{5}",
                retryIf = "#result == #{'null'}",
                recover = "#{'standIn'}",
                beforeRetry = "#{'ready'}")
        public String run() {
            return "";
        }

        String standIn(IOException error) {
            return "";
        }

        void ready() {}
    }

    static class Unknown {

        @RetryOn(value = IOException.class, delay = "${my.delya}", recover = "#{nobody.name}")
        public void run() {}
    }

    static class Defaulted {

        @RetryOn(
                value = IOException.class,
                delay = "${delay:30ms}",
                timeout = "${timeout:}",
                maxAttempts = 2,
                maxAttemptsString = "${attempts:6}",
                multiplier = 3.0,
                multiplierString = "${multiplier:}")
        public void run() {}
    }
}
