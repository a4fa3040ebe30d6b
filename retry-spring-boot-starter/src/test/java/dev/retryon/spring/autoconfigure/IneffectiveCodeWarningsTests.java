/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.retryon.DoNotRetry;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.method.Applications;
import dev.retryon.spring.settings.Setting;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import kotlin.sequences.Sequence;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.annotation.AliasFor;
import org.springframework.stereotype.Component;

/** What is logged about gates, annotations and return types that do less than they seem to. */
@ExtendWith(OutputCaptureExtension.class)
class IneffectiveCodeWarningsTests {

    private static final String HERE = IneffectiveCodeWarningsTests.class.getName() + "$";

    private static final String GATE = "retryon.methods.[" + HERE + "Plain].";

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

    static Stream<Arguments> gatesThatAreConstant() {
        String never = ", so no call is ever retried; let it depend on the call, or set retryable to false";
        String nothing = ", which has no effect; let it depend on the call, or remove it";
        return Stream.of(
                arguments("onlyIf", "only-if", "not true", never),
                arguments("onlyIf", "only-if", "null", never),
                arguments("onlyIf", "only-if", "'#p0' == 'x'", never),
                arguments("onlyIf", "only-if", "'a' == 'a'", nothing),
                arguments("onlyIf", "only-if", "not false and 1 < 2", nothing),
                arguments("onlyIf", "only-if", "1 > 2 ? false : true", nothing),
                arguments("unless", "unless", "1 == 1", never),
                arguments("unless", "unless", "1 == 2", nothing),
                arguments(
                        "retryIf",
                        "retry-if",
                        "1 == 1",
                        ", so every returned value is retried until no attempt is left; let it depend on #result, or"
                                + " remove it"),
                arguments(
                        "retryIf",
                        "retry-if",
                        "1 == 2",
                        ", so no returned value is retried; let it depend on #result, or remove it"));
    }

    @ParameterizedTest(name = "{0} = {2}")
    @MethodSource
    void gatesThatAreConstant(String attribute, String property, String gate, String effect) {
        assertThat(warnings(Plain.class, GATE + property + "=" + gate))
                .containsExactly("Plain.charge: " + attribute + " is '" + gate + "' (retryon.methods[Plain])" + effect);
    }

    @Test
    void gatesThatAreConstantInAnnotations() {
        assertThat(warnings(Never.class))
                .containsExactly(
                        "Never.charge: onlyIf is 'false' (@RetryOn on Never.charge), so no call is ever retried;"
                                + " let it depend on the call, or set retryable to false",
                        "Never.refund: unless is 'false' (@RetryOn on Never.refund), which has no effect; let it depend"
                                + " on the call, or remove it");
    }

    @ParameterizedTest
    @ValueSource(strings = {"only-if", "unless"})
    void nothingAboutSwitchesInProperties(String property) {
        assertThat(warnings(
                        Plain.class,
                        GATE + property + "=${payments.retried}",
                        "payments.retried=true",
                        "retryon.defaults." + property + "=false"))
                .isEmpty();
    }

    @Test
    void nothingAboutARetryIfThatSwitchesOffThatOfTheClass() {
        assertThat(warnings(SwitchedOff.class)).isEmpty();
    }

    @Test
    void nothingAboutWhatOtherMethodsMayNeed() {
        assertThat(warnings(Shared.class)).isEmpty();
    }

    @Test
    void nothingAboutDelaysInProperties() {
        assertThat(warnings(
                        Plain.class,
                        "retryon.defaults.backoff=none",
                        "retryon.defaults.delay=2s",
                        "retryon.defaults.jitter=full"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"#attempt < 3", "'a' < 1", "ready", "{true}[0]", "T(Boolean).TRUE"})
    void nothingAboutGatesThatAreNotConstant(String gate) {
        assertThat(warnings(Plain.class, GATE + "only-if=" + gate)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void nothingAboutAGateThatIsSwitchedByAProperty(String value) {
        assertThat(warnings(Switched.class, "payments.retried=" + value)).isEmpty();
    }

    @Test
    void nothingAboutAGateThatTakesThePlaceOfAWeakerOne() {
        assertThat(warnings(Gated.class, "retryon.methods.[" + HERE + "Gated].only-if=true"))
                .isEmpty();
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
    void delaysWhereThereIsNoBackoff() {
        String rest = " (@RetryOn on NoBackoff.charge), which has no effect because backoff is 'none' (@RetryOn on"
                + " NoBackoff.charge); set backoff to fixed, or remove the ";
        assertThat(warnings(NoBackoff.class))
                .containsExactly(
                        "NoBackoff.charge: delay is '500ms'" + rest + "delay",
                        "NoBackoff.charge: jitter is 'full'" + rest + "jitter");
    }

    @Test
    void jitterOfNoDelay() {
        assertThat(warnings(NoDelay.class))
                .containsExactly(
                        "NoDelay.charge: jitter is '+3s' (@RetryOn on NoDelay.charge), which has no effect because"
                                + " delay is '0s' (@RetryOn on NoDelay.charge); set a delay, or remove the jitter");
    }

    @Test
    void nothingAboutJitterOfAnotherLayerOrNone() {
        assertThat(warnings(ZeroDelay.class, "retryon.defaults.jitter=full")).isEmpty();
        assertThat(warnings(NeitherDelayNorJitter.class)).isEmpty();
    }

    @Test
    void nothingAboutDelaysOfAWeakerLayer() {
        assertThat(warnings(
                        Plain.class,
                        "retryon.defaults.delay=2s",
                        "retryon.defaults.jitter=full",
                        GATE + "backoff=none"))
                .isEmpty();
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

    static class NoBackoff {

        @RetryOn(value = IOException.class, backoff = "none", delay = "500ms", jitter = "full", maxDelay = "9s")
        public void charge() {}
    }

    static class NoDelay {

        @RetryOn(value = IOException.class, delay = "0s", jitter = "+3s")
        public void charge() {}
    }

    static class ZeroDelay {

        @RetryOn(value = IOException.class, delay = "0s")
        public void charge() {}
    }

    static class NeitherDelayNorJitter {

        @RetryOn(value = IOException.class, delay = "0s", jitter = "none")
        public void charge() {}
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

    static class Never {

        @RetryOn(value = IOException.class, onlyIf = "false")
        public void charge() {}

        @RetryOn(value = IOException.class, unless = "false")
        public void refund() {}
    }

    @RetryOn(value = IOException.class, retryIf = "#result == null")
    static class SwitchedOff {

        @RetryOn(retryIf = "false")
        public String charge() {
            return "";
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
    @interface Watched {}

    @Retention(RetentionPolicy.RUNTIME)
    @RetryOn(IOException.class)
    @Watched
    @interface WatchedRetry {

        String name() default "breaker";

        long delay() default 5;
    }

    static class Measured {

        @WatchedRetry
        public void charge() {}
    }

    @RetryOn(IOException.class)
    static class Opened implements Iterable<String> {

        @RetryOn
        public Stream<String> open() {
            return Stream.of();
        }

        public Stream<String> once() {
            return Stream.of();
        }

        @Override
        @DoNotRetry
        public Iterator<String> iterator() {
            return List.<String>of().iterator();
        }
    }

    static class Switched {

        @RetryOn(value = IOException.class, onlyIf = "${payments.retried}")
        public void charge() {}
    }

    static class Gated {

        @RetryOn(value = IOException.class, onlyIf = "#attempt < 2")
        public void charge() {}
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

    @RetryOn(IOException.class)
    static class Lazy {

        abstract static class Cursor implements Iterator<String> {}

        public Stream<String> stream() {
            return Stream.of();
        }

        public IntStream numbers() {
            return IntStream.of();
        }

        public Iterator<String> iterator() {
            return List.<String>of().iterator();
        }

        public Spliterator<String> parts() {
            return List.<String>of().spliterator();
        }

        public Enumeration<String> elements() {
            return java.util.Collections.emptyEnumeration();
        }

        public Cursor cursor() {
            throw new UnsupportedOperationException();
        }

        public Sequence<String> sequence() {
            throw new UnsupportedOperationException();
        }

        public List<String> list() {
            return List.of();
        }

        public Iterable<String> iterable() {
            return List.of();
        }

        public Object anything() {
            return "";
        }
    }
}
