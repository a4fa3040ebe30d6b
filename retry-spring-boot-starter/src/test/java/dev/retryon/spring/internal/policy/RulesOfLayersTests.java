// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.retryon.DoNotRetry;
import dev.retryon.Retry;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.OnError;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.control.RuntimeSettings;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.RuntimeChange;
import dev.retryon.spring.module.Setting;
import java.io.IOException;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Sentences of the rules on layers and defaults that no other test is about. */
@ExtendWith(OutputCaptureExtension.class)
class RulesOfLayersTests {

    @Test
    void aMethodWithRetryIfAloneRetriesItsValuesAndNotItsErrors(CapturedOutput output) {
        Applications.retrying().withBean(Polling.class).run(context -> {
            Polling polling = context.getBean(Polling.class);

            assertThat(polling.poll(false)).isEqualTo("at 3");
            assertThat(polling.calls()).isEqualTo(3);
            assertThatIOException().isThrownBy(() -> polling.poll(true));
            assertThat(polling.calls()).isEqualTo(4);
            assertThat(output).doesNotContain("no layer lists an exception");
        });
    }

    @Test
    void theKeyOfABaseClassIsForTheBeansThatInheritFromIt() {
        String base = Base.class.getName();
        Applications.retrying()
                .withBean(Derived.class)
                .withPropertyValues(
                        "retryon.methods[" + base + "].max-attempts=7",
                        "retryon.methods[" + base + "#charge].multiplier=4",
                        "retryon.methods[" + Derived.class.getName() + "#charge].max-delay=9s")
                .run(context -> {
                    EffectiveSettings settings = Applications.settings(context, Derived.class, "charge");
                    assertThat(settings.get(Setting.MAX_ATTEMPTS)).isEqualTo(7);
                    assertThat(settings.source(Setting.MAX_ATTEMPTS)).isEqualTo("retryon.methods[" + base + "]");
                    assertThat(settings.get(Setting.MULTIPLIER)).isEqualTo(4.0);
                    assertThat(settings.get(Setting.MAX_DELAY)).hasSeconds(9);
                });
    }

    @Test
    void theKeyOfTheBeansOwnClassIsStrongerThanThatOfItsBaseClass() {
        Applications.retrying()
                .withBean(Derived.class)
                .withPropertyValues(
                        "retryon.methods[" + Derived.class.getName() + "].max-attempts=8",
                        "retryon.methods[" + Base.class.getName() + "].max-attempts=7")
                .run(context -> assertThat(Applications.settings(context, Derived.class, "charge")
                                .get(Setting.MAX_ATTEMPTS))
                        .isEqualTo(8));
    }

    /** What each layer sets, on top of all those before it. */
    static Stream<Arguments> eachLayerIsStrongerThanAllBefore() {
        String defaults = "retryon.defaults.max-attempts=4";
        String key = "retryon.methods[" + Silent.class.getName() + "].max-attempts=9";
        String methodKey = "retryon.methods[" + Loud.class.getName() + "#run].max-attempts=10";
        String policy = "retryon.policies.named.max-attempts=11";
        return Stream.of(
                arguments("the built-in defaults", Bare.class, 3, new String[] {}),
                arguments("retryon.defaults", Bare.class, 4, new String[] {defaults}),
                arguments("an interface", OfInterface.class, 5, new String[] {defaults}),
                arguments("a superclass", OfSuperclass.class, 6, new String[] {defaults}),
                arguments("the class", OfClass.class, 7, new String[] {defaults}),
                arguments("the overridden method", Silent.class, 8, new String[] {defaults}),
                arguments("the method", Loud.class, 2, new String[] {defaults}),
                arguments("the policy that the method names", Named.class, 11, new String[] {defaults, policy}),
                arguments("the operator's key of the class", Silent.class, 9, new String[] {defaults, key}),
                arguments("the operator's key of the method", Loud.class, 10, new String[] {defaults, key, methodKey}));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void eachLayerIsStrongerThanAllBefore(
            String layer, Class<? extends Bare> beanClass, int maxAttempts, String[] properties) {
        Applications.retrying()
                .withBean(beanClass)
                .withPropertyValues("retryon.defaults.exceptions=java.io.IOException")
                .withPropertyValues(properties)
                .run(context -> assertThat(attempts(context.getBean(beanClass))).isEqualTo(maxAttempts));
    }

    @Test
    void whatAnOperatorSetsAtRunTimeIsStrongerThanHisKeysAndTheCallsOwnWordIsStrongest() {
        Applications.retrying()
                .withBean(Loud.class)
                .withPropertyValues(
                        "retryon.defaults.exceptions=java.io.IOException",
                        "retryon.methods[" + Loud.class.getName() + "#run()].max-attempts=10")
                .run(context -> {
                    Loud loud = context.getBean(Loud.class);
                    RuntimeSettings settings = context.getBean(RuntimeSettings.class);
                    settings.change(
                            new RuntimeChange.Target(RuntimeChange.Scope.ALL, "", false),
                            Map.of("maxAttempts", "12"),
                            null,
                            null);
                    assertThat(attempts(loud)).isEqualTo(12);
                    assertThat(Retries.with(own -> own.maxAttempts(13)).call(() -> attempts(loud)))
                            .isEqualTo(13);
                    assertThat(attempts(loud)).as("for that call alone").isEqualTo(12);
                });
    }

    private static int attempts(Bare bean) {
        int before = bean.calls();
        assertThatIOException().isThrownBy(bean::run);
        return bean.calls() - before;
    }

    @Test
    void theOperatorsLimitIsNotForTheApiOfTheCore() {
        Applications.retrying()
                .withBean(Loud.class)
                .withPropertyValues("retryon.limits.max-attempts=1", "retryon.defaults.exceptions=java.io.IOException")
                .run(context -> {
                    Retry retry = Retry.builder(
                                    "core",
                                    RetryPolicy.builder()
                                            .retryOn(IOException.class)
                                            .backoff("none")
                                            .maxAttempts(5)
                                            .build())
                            .engine(context.getBean(RetryEngine.class))
                            .build();

                    assertThat(attempts(context.getBean(Loud.class))).isEqualTo(1);
                    assertThat(retry.capture(() -> {
                                        throw new IOException();
                                    })
                                    .attempts())
                            .isEqualTo(5);
                });
    }

    @Test
    void aDelayAboveTheDefaultCapRaisesItWhereverItIsSet() {
        Applications.retrying()
                .withBean(Slow.class)
                .withBean(Derived.class)
                .withPropertyValues("retryon.methods[" + Derived.class.getName() + "].delay=30h")
                .run(context -> {
                    assertThat(Applications.method(context, Slow.class, "run")
                                    .policy()
                                    .maxDelay())
                            .hasMinutes(10);
                    assertThat(Applications.method(context, Derived.class, "charge")
                                    .policy()
                                    .maxDelay())
                            .as("no delay is longer than a day")
                            .hasHours(24);
                });
    }

    static class Slow {

        @RetryOn(value = IOException.class, delay = "10m")
        public void run() {}
    }

    @Test
    void doNotRetryOnWhatIsOverriddenOptsOutToo() {
        Applications.retrying()
                .withBean(OptedOut.class)
                .withPropertyValues("retryon.defaults.exceptions=java.io.IOException")
                .run(context -> {
                    OptedOut bean = context.getBean(OptedOut.class);
                    Retries.with(own -> own.maxAttempts(5).exceptions(IOException.class))
                            .run(() -> {
                                assertThatIOException().isThrownBy(bean::ofTheSuperclass);
                                assertThatIOException().isThrownBy(() -> bean.handle("generic"));
                            });
                    assertThat(bean.calls()).isEqualTo(2); // each once
                    assertThatIOException().isThrownBy(() -> bean.handle(1));
                    assertThat(bean.calls()).as("the other overload is retried").isEqualTo(5); // 2 + 3
                });
    }

    interface Handler<T> {

        @DoNotRetry
        void handle(T message) throws IOException;
    }

    static class Opting {

        @DoNotRetry
        public void ofTheSuperclass() throws IOException {}
    }

    @RetryOn(maxAttempts = 3)
    static class OptedOut extends Opting implements Handler<String> {

        private int calls;

        @DoNotRetry
        public int calls() {
            return calls;
        }

        @Override
        @RetryOn
        public void ofTheSuperclass() throws IOException {
            fail();
        }

        @Override
        @RetryOn
        public void handle(String message) throws IOException {
            fail();
        }

        public void handle(int message) throws IOException {
            fail();
        }

        private void fail() throws IOException {
            calls++;
            throw new IOException();
        }
    }

    static class Bare {

        private int calls;

        int calls() {
            return calls;
        }

        @RetryOn
        public void run() throws IOException {
            calls++;
            throw new IOException();
        }
    }

    @RetryOn(maxAttempts = 5)
    interface Five {}

    static class OfInterface extends Bare implements Five {}

    @RetryOn(maxAttempts = 6)
    static class Six extends Bare implements Five {}

    static class OfSuperclass extends Six {}

    @RetryOn(maxAttempts = 7)
    static class OfClass extends Six {}

    interface RunsEight {

        @RetryOn(maxAttempts = 8)
        void run() throws IOException;
    }

    @RetryOn(maxAttempts = 7)
    static class Silent extends Six implements RunsEight {}

    static class Loud extends Silent {

        @Override
        @RetryOn(maxAttempts = 2)
        public void run() throws IOException {
            super.run();
        }
    }

    static class Named extends Silent {

        @Override
        @RetryOn(policy = "named")
        public void run() throws IOException {
            super.run();
        }
    }

    static class Polling {

        private int calls;

        @RetryOn(retryIf = "#result == null", maxAttempts = 5)
        public String poll(boolean failing) throws IOException {
            calls++;
            if (failing) {
                throw new IOException("down");
            }
            return calls < 3 ? null : "at " + calls;
        }

        public int calls() {
            return calls;
        }
    }

    static class Base {

        @RetryOn(IOException.class)
        public String charge() throws IOException {
            return "charged";
        }
    }

    static class Derived extends Base {}

    @Test
    void twoRulesForOneErrorInOneAnnotationAreAFault() {
        Applications.retrying()
                .withBean(TwoRules.class)
                .run(context -> assertThat(Applications.faults(context))
                        .extracting(RetryFault::problem)
                        .containsExactlyInAnyOrder(
                                "'errors' has two rules for java.io.IOException; merge them into one @OnError",
                                "'errors' has two rules for http.503; merge them into one @OnError"));
    }

    @Test
    void rulesForOneErrorInTwoAnnotationsAreMerged() {
        Applications.retrying()
                .withBean(InTwoAnnotations.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    static class TwoRules {

        @RetryOn(
                errors = {
                    @OnError(value = IOException.class, codes = "http.503", maxAttempts = 2),
                    @OnError(
                            value = {IOException.class, IllegalStateException.class},
                            codes = "http.503",
                            delay = "1s")
                })
        public void charge() {}
    }

    @RetryOn(errors = @OnError(value = IOException.class, maxAttempts = 2))
    static class InTwoAnnotations {

        @RetryOn(
                errors =
                        @OnError(
                                value = {IOException.class, IOException.class},
                                delay = "1s"))
        public void charge() {}
    }
}
