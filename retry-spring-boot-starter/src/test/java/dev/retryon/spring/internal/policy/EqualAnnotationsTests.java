// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.RetryPolicy;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.module.Setting;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.util.ReflectionTestUtils;

/** Methods of which the annotations say the same: they have equal policies, and share nothing that is a method's own. */
@ExtendWith(OutputCaptureExtension.class)
class EqualAnnotationsTests {

    private final ApplicationContextRunner application =
            Applications.retrying().withBean(Left.class).withBean(Right.class);

    @Test
    void haveTheSameSettingsAndKeepTheirPlaces() {
        application.run(context -> {
            MethodRetry left = Applications.method(context, Left.class, "plain");
            MethodRetry right = Applications.method(context, Right.class, "plain");
            assertThat(left.policy().maxAttempts()).isEqualTo(4);
            assertThat(right.policy().maxAttempts()).isEqualTo(4);
            assertThat(left.settings().source(Setting.MAX_ATTEMPTS))
                    .isEqualTo("@RetryOn on " + Left.class.getName() + ".plain");
            assertThat(right.settings().source(Setting.MAX_ATTEMPTS))
                    .isEqualTo("@RetryOn on " + Right.class.getName() + ".plain");
        });
    }

    @Test
    void shareNothingWithAMethodThatSaysMore() {
        application.run(context -> {
            RetryPolicy more = Applications.method(context, Right.class, "more").policy();
            assertThat(more.maxAttempts()).isEqualTo(4);
            assertThat(more.delay()).isEqualTo(Duration.ofMillis(7));
            assertThat(Applications.method(context, Left.class, "plain")
                            .policy()
                            .delay())
                    .isEqualTo(RetryPolicy.DEFAULT_DELAY);
        });
    }

    @Test
    void anOperatorsWordIsForOneOfThem() {
        application
                .withPropertyValues("retryon.methods[" + Left.class.getName() + "#plain].max-attempts=9")
                .run(context -> {
                    assertThat(Applications.method(context, Left.class, "plain")
                                    .policy()
                                    .maxAttempts())
                            .isEqualTo(9);
                    assertThat(Applications.method(context, Right.class, "plain")
                                    .policy()
                                    .maxAttempts())
                            .isEqualTo(4);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"onlyIf", "unless", "retryIf"})
    void eachHasItsOwnGate(String gate) {
        application.run(context -> {
            Left left = context.getBean(Left.class);
            Right right = context.getBean(Right.class);
            assertThat(attempts(left, gate, "1", "2")).isEqualTo(2);
            assertThat(attempts(right, gate, "2", "1")).isEqualTo(2);
            assertThat(attempts(left, gate, "2", "1")).isEqualTo(1);
            assertThat(attempts(right, gate, "1", "2")).isEqualTo(1);
        });
    }

    private static int attempts(Attempts bean, String method, String first, String second) {
        bean.attempts().set(0);
        try {
            ReflectionTestUtils.invokeMethod(bean, method, first, second);
        } catch (IllegalStateException ex) {
            // What the last attempt threw; how many there were is asked.
        }
        return bean.attempts().get();
    }

    @Test
    void eachHasItsOwnRecovery() {
        application.run(context -> {
            assertThat(context.getBean(Left.class).recovering()).isEqualTo("left");
            assertThat(context.getBean(Right.class).recovering()).isEqualTo("right");
        });
    }

    @Test
    void eachHasItsOwnBackoff() {
        application.run(context -> assertThat(
                        Applications.method(context, Left.class, "waiting").policy())
                .isNotSameAs(
                        Applications.method(context, Right.class, "waiting").policy()));
    }

    @Test
    void eachHasItsOwnBudget() {
        application
                .withPropertyValues("retryon.defaults.budget=default")
                .run(context -> assertThat(Applications.method(context, Left.class, "plain")
                                .policy()
                                .budget())
                        .isNotNull()
                        .isNotSameAs(Applications.method(context, Right.class, "plain")
                                .policy()
                                .budget()));
    }

    @Test
    void eachResolvesItsExpressions() {
        Applications.retrying()
                .withBean("counter", AtomicInteger.class)
                .withBean(FirstCounted.class)
                .withBean(SecondCounted.class)
                .run(context -> assertThat(new int[] {
                            Applications.method(context, FirstCounted.class, "count")
                                    .policy()
                                    .maxAttempts(),
                            Applications.method(context, SecondCounted.class, "count")
                                    .policy()
                                    .maxAttempts()
                        })
                        .containsExactlyInAnyOrder(1, 2));
    }

    @Test
    void eachIsToldWhatIsWrong() {
        Applications.retrying()
                .withBean(Wrong.class)
                .run(context -> assertThat(Applications.faults(context))
                        .extracting(RetryFault::where)
                        .containsExactlyInAnyOrder(
                                "@RetryOn on " + Wrong.class.getName() + ".first",
                                "@RetryOn on " + Wrong.class.getName() + ".second"));
    }

    @Test
    void eachIsToldWhatIsOdd(CapturedOutput output) {
        Applications.retrying().withBean(Odd.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output)
                    .contains(Odd.class.getName() + ".first: java.io.IOException is in 'exceptions'")
                    .contains(Odd.class.getName() + ".second: java.io.IOException is in 'exceptions'");
        });
    }

    @Test
    void anAnnotationBesideAnotherSaysTheSameAsAlone() {
        application.withBean(Beside.class).run(context -> {
            assertThat(Applications.method(context, Beside.class, "plain")
                            .policy()
                            .maxAttempts())
                    .isEqualTo(4);
            assertThatThrownBy(() -> context.getBean(Beside.class).plain()).isInstanceOf(IOException.class);
        });
    }

    /** Counts how often its methods were called. */
    abstract static class Attempts {

        private final AtomicInteger attempts = new AtomicInteger();

        AtomicInteger attempts() {
            return attempts;
        }

        int attempt() {
            return attempts.incrementAndGet();
        }

        void fail() {
            attempt();
            throw new IllegalStateException();
        }
    }

    static class Left extends Attempts {

        @RetryOn(value = IOException.class, maxAttempts = 4)
        public void plain() {}

        @RetryOn(value = IllegalStateException.class, maxAttempts = 2, onlyIf = "#id == '1'")
        public void onlyIf(String id, String other) {
            fail();
        }

        @RetryOn(value = IllegalStateException.class, maxAttempts = 2, unless = "#id == '2'")
        public void unless(String id, String other) {
            fail();
        }

        @RetryOn(maxAttempts = 2, retryIf = "#id == '1'")
        public int retryIf(String id, String other) {
            return attempt();
        }

        @RetryOn(value = IllegalStateException.class, maxAttempts = 1, recover = "recovered")
        public String recovering() {
            throw new IllegalStateException();
        }

        String recovered(IllegalStateException error) {
            return "left";
        }

        @RetryOn(value = IOException.class, backoff = "waits")
        public void waiting() {}

        Duration waits(int retry, Duration base) {
            return Duration.ofMillis(1);
        }
    }

    static class Right extends Attempts {

        @RetryOn(value = IOException.class, maxAttempts = 4)
        public void plain() {}

        @RetryOn(value = IOException.class, maxAttempts = 4, delay = "7ms")
        public void more() {}

        @RetryOn(value = IllegalStateException.class, maxAttempts = 2, onlyIf = "#id == '1'")
        public void onlyIf(String other, String id) {
            fail();
        }

        @RetryOn(value = IllegalStateException.class, maxAttempts = 2, unless = "#id == '2'")
        public void unless(String other, String id) {
            fail();
        }

        @RetryOn(maxAttempts = 2, retryIf = "#id == '1'")
        public int retryIf(String other, String id) {
            return attempt();
        }

        @RetryOn(value = IllegalStateException.class, maxAttempts = 1, recover = "recovered")
        public String recovering() {
            throw new IllegalStateException();
        }

        String recovered(IllegalStateException error) {
            return "right";
        }

        @RetryOn(value = IOException.class, backoff = "waits")
        public void waiting() {}

        Duration waits(int retry, Duration base) {
            return Duration.ofMillis(2);
        }
    }

    static class Beside {

        @Deprecated
        @RetryOn(value = IOException.class, maxAttempts = 4)
        public void plain() throws IOException {
            throw new IOException();
        }
    }

    static class FirstCounted {

        @RetryOn(value = IOException.class, maxAttemptsString = "#{@counter.incrementAndGet()}")
        public void count() {}
    }

    static class SecondCounted {

        @RetryOn(value = IOException.class, maxAttemptsString = "#{@counter.incrementAndGet()}")
        public void count() {}
    }

    static class Wrong {

        @RetryOn(value = IOException.class, jitter = "much")
        public void first() {}

        @RetryOn(value = IOException.class, jitter = "much")
        public void second() {}
    }

    static class Odd {

        @RetryOn(value = IOException.class, excludes = IOException.class)
        public void first() {}

        @RetryOn(value = IOException.class, excludes = IOException.class)
        public void second() {}
    }
}
