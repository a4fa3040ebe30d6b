// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.Date;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Correct applications for which an earlier version reported a fault or a warning. */
@ExtendWith(OutputCaptureExtension.class)
class StartupFalseAlarmsTests {

    private static final String HERE = StartupFalseAlarmsTests.class.getName() + "$";

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class));

    private final CapturedOutput output;

    StartupFalseAlarmsTests(CapturedOutput output) {
        this.output = output;
    }

    private long warnings(Class<?> bean, String... properties) {
        runner.withBean(bean)
                .withPropertyValues(properties)
                .run(context -> assertThat(context).hasNotFailed());
        return output.getAll()
                .lines()
                .filter(line -> line.contains("RETRYON-W"))
                .count();
    }

    @Test
    void aMethodWithoutAnyErrorIsReported() {
        assertThat(warnings(NoErrors.class)).isOne();
    }

    @ParameterizedTest
    @ValueSource(strings = {"retryon.defaults.max-attempts=1", "retryon.policies.once.max-attempts=1"})
    void aSingleAttemptNeedsNoExceptions(String property) {
        assertThat(warnings(NoErrors.class, property, "retryon.methods[" + HERE + "NoErrors].max-attempts=1"))
                .isZero();
        assertThat(warnings(Once.class)).isZero();
    }

    @Test
    void aLimitThatLowersManyMethodsIsOneLineInAll() {
        assertThat(warnings(Many.class, "retryon.limits.max-attempts=2")).isOne();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#date.nanos == 7",
                "#date instanceof T(java.sql.Timestamp) and #date.nanos == 7",
                "isTransient(#error)",
                "#args.length > 1 and #args[1] == 'x'",
                "2 > 1"
            })
    void membersOfGatesAreLookedUpWhenTheyAreEvaluated(String gate) {
        assertThat(warnings(Gated.class, "retryon.methods[" + HERE + "Gated].only-if=" + gate))
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limits",
                "log",
                "events",
                "metrics",
                "reactive",
                "warnings",
                "defaults",
                "budgets",
                "methods",
                "pointcuts",
                "defaults.errors",
                "enabled",
                "order",
                "checks",
                "mode",
                "metrics.enabled",
                "metrics.max-tag-values",
                "events.capacity",
                "log.interval",
                "log.first-attempt",
                "reactive.resubscribe-after-emission"
            })
    void aPropertyOrBlockWithoutAValueIsIgnored(String empty) {
        runner.withPropertyValues("retryon." + empty + "=", "retryon.policies.stock.max-attempts=7")
                .run(context -> assertThat(context.getBean(RetryProperties.class)
                                .policies()
                                .get("stock")
                                .maxAttempts())
                        .isEqualTo(7));
    }

    @Test
    void delaysOfACallThatDoesNotWait() {
        assertThat(warnings(NoWaits.class)).isZero();
    }

    @Test
    void aKeyOfARecoveryMethodIsReportedAsUnusedWhateverItsValues() {
        assertThat(warnings(
                        Recovered.class, "retryon.methods[" + HERE + "Recovered#recover].exceptions=com.acme.Missing"))
                .isOne();
        assertThat(output).contains("Recovered#recover] matches no retried method");
    }

    @Test
    void keysAndPropertiesOfOtherApplicationsDoNotEndTheStart() {
        assertThat(warnings(
                        Once.class,
                        "retryon.methods[com.acme.other.Mails#send].max-attempts=4",
                        "retryon.policies.mails.exceptions=com.acme.other.MailException",
                        "retryon.policies.mails.only-if=@mails.isUp()"))
                .isZero();
    }

    static class NoErrors {

        @RetryOn
        public void charge() {}
    }

    static class Once {

        @RetryOn(maxAttempts = 1)
        public void charge() {}
    }

    @RetryOn(IOException.class)
    static class Recovered {

        @RetryOn(recover = "recover")
        public String charge() {
            return "charged";
        }

        public String recover() {
            return "recovered";
        }
    }

    static class Many {

        @RetryOn(value = IOException.class, maxAttempts = 5)
        public void charge() {}

        @RetryOn(value = IOException.class, maxAttempts = 6)
        public void refund() {}

        @RetryOn(value = IOException.class, maxAttempts = 7)
        public void send() {}
    }

    static class Gated {

        @RetryOn(IOException.class)
        public void charge(Date date) {}

        private boolean isTransient(Throwable error) {
            return error instanceof IOException;
        }
    }

    static class NoWaits {

        @RetryOn(value = IOException.class, backoff = "none", delay = "1s", jitter = "full")
        public void charge() {}

        @RetryOn(value = IOException.class, delay = "0s", jitter = "full")
        public void refund() {}
    }
}
