// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.DoNotRetry;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import dev.retryon.spring.internal.settings.Setting;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.annotation.AliasFor;
import org.springframework.stereotype.Component;

/** Warnings about annotations that do less than they seem to. */
@ExtendWith(OutputCaptureExtension.class)
class IneffectiveCodeWarningsTests {

    private static final String HERE = IneffectiveCodeWarningsTests.class.getName() + "$";

    private final CapturedOutput output;

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class));

    IneffectiveCodeWarningsTests(CapturedOutput output) {
        this.output = output;
    }

    private List<String> warnings(Class<?> bean, String... properties) {
        runner.withBean(bean)
                .withPropertyValues(properties)
                .run(context -> assertThat(context).hasNotFailed());
        return Arrays.stream(output.getAll().split("\\R"))
                .filter(line -> line.matches(".*WARN .*\\bdev\\.retryon\\.startup +(:|-+) RETRYON-W\\d\\d: .*"))
                .map(line -> line.replaceFirst("^.*? dev\\.retryon\\.startup +(:|-+) RETRYON-W\\d\\d: ", "")
                        .replace(HERE, ""))
                .toList();
    }

    @Test
    void nothingAboutWhatOtherMethodsMayNeed() {
        assertThat(warnings(Shared.class)).isEmpty();
    }

    /** Spring Framework 6 still took an attribute of the same name for an alias. */
    @Test
    void anAttributeThatIsNoAliasSetsNothing() {
        runner.withBean(Composed.class)
                .run(context -> assertThat(Applications.settings(context, Composed.class, "charge")
                                .get(Setting.DELAY))
                        .isEqualTo(Duration.ofSeconds(1)));
    }

    @Test
    void typesToRecoverOnWithoutARecovery() {
        assertThat(warnings(RecoverOnAlone.class))
                .containsExactly("RecoverOnAlone.charge: recoverOn is 'java.lang.IllegalStateException' (@RetryOn on"
                        + " RecoverOnAlone.charge), which has no effect because there is no recovery; set recover, or"
                        + " remove recoverOn");
    }

    @Test
    void nothingAboutTypesToRecoverOnOfTheDefaults() {
        assertThat(warnings(Plain.class, "retryon.defaults.recover-on=java.lang.IllegalStateException"))
                .isEmpty();
    }

    @Test
    void annotatedClassWithoutAPublicMethod() {
        assertThat(warnings(NothingPublic.class))
                .containsExactly(
                        "@RetryOn on NothingPublic covers no method, because none is public; make them public, or"
                                + " annotate each method");
    }

    @Test
    void nothingAboutAnAnnotatedClassThatOptsOutOfAllItsMethods() {
        assertThat(warnings(AllOptedOut.class)).isEmpty();
    }

    static class RecoverOnAlone {

        @RetryOn(value = IOException.class, recoverOn = IllegalStateException.class)
        public void charge() {}
    }

    @RetryOn(IOException.class)
    static class NothingPublic {

        void charge() {}

        protected void refund() {}
    }

    @RetryOn(IOException.class)
    static class AllOptedOut {

        @DoNotRetry
        public void charge() {}
    }

    static class Plain {

        @RetryOn(IOException.class)
        public String charge() {
            return "";
        }

        public boolean isReady() {
            return true;
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @RetryOn(value = IOException.class, recoverOn = IllegalStateException.class)
    @interface PaymentRetry {

        @AliasFor(annotation = RetryOn.class)
        String onlyIf() default "true";

        @AliasFor(annotation = RetryOn.class)
        String delay() default "500ms";

        @AliasFor(annotation = RetryOn.class)
        String backoff() default "";
    }

    interface Account {

        @RetryOn(value = IOException.class, recoverOn = IllegalStateException.class)
        void open();
    }

    static class Shared implements Account {

        @PaymentRetry(backoff = "none")
        public void charge() {}

        @Override
        public void open() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @RetryOn(IOException.class)
    @interface Patient {

        String delay() default "5ms";

        @AliasFor(annotation = RetryOn.class)
        int maxAttempts() default 7;
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Patient
    @Component
    @interface VeryPatient {

        int maxAttempts() default 9;

        @AliasFor(annotation = Component.class, attribute = "value")
        String name() default "";

        /** Of another type than that of {@code @RetryOn}. */
        String value() default "";

        String team() default "";
    }

    static class Composed {

        @Patient(delay = "9ms")
        public void charge() {}

        @VeryPatient
        public void refund() {}
    }
}
