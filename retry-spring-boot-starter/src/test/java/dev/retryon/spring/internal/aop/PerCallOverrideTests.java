// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.RetryResult;
import dev.retryon.StopReason;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import dev.retryon.spring.internal.scope.RetryScope;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** {@code Retries.with} and {@code Retries.capture}. */
@ExtendWith(OutputCaptureExtension.class)
class PerCallOverrideTests {

    private final ApplicationContextRunner runner =
            Applications.retrying().withBean(Inner.class).withBean(Outer.class);

    @Test
    void overridesTheCallsOfTheLambdaAndNoOthers() {
        runner.run(context -> {
            Inner inner = context.getBean(Inner.class);
            assertThatThrownBy(() -> Retries.with(o -> o.maxAttempts(5)).run(inner::fail))
                    .hasMessage("attempt 5");
            assertThatThrownBy(inner::fail).hasMessage("attempt 8"); // 5 + the 3 of the annotation
            assertThatThrownBy(() -> Retries.with(o -> o.maxAttempts(2)).call(() -> {
                        assertThatThrownBy(inner::fail).hasMessage("attempt 10"); // 8 + 2
                        inner.fail();
                        return null;
                    }))
                    .hasMessage("attempt 12"); // 10 + 2
        });
    }

    @Test
    void doesNotReachCallsNestedInsideThem() {
        runner.run(context -> {
            Outer outer = context.getBean(Outer.class);
            assertThatThrownBy(() -> Retries.with(o -> o.maxAttempts(1)).run(outer::callInner))
                    .isInstanceOf(IOException.class);
            assertThat(outer.calls()).isEqualTo(1);
            assertThat(context.getBean(Inner.class).calls()).isEqualTo(3);
        });
    }

    @Test
    void reachesTheNextCallAfterANestedOne() {
        runner.run(context -> {
            Outer outer = context.getBean(Outer.class);
            Inner inner = context.getBean(Inner.class);
            Retries.with(o -> o.maxAttempts(1)).run(() -> {
                assertThatThrownBy(outer::callInner).isInstanceOf(IOException.class);
                assertThatThrownBy(inner::fail).hasMessage("attempt 4"); // 3 nested + 1
            });
        });
    }

    @Test
    void anInnerWithIsLaidOverTheOuterOne() {
        runner.run(context -> {
            Inner inner = context.getBean(Inner.class);
            Retries.with(o -> o.maxAttempts(7).exceptions(IllegalStateException.class))
                    .run(() -> {
                        RetryResult<Object> both = Retries.with(o -> o.exceptions(IllegalArgumentException.class))
                                .capture(() -> inner.fail(new IllegalStateException(), new IllegalArgumentException()));
                        assertThat(both.attempts())
                                .as("7 of the outer, both lists")
                                .isEqualTo(7);
                        assertThat(Retries.with(o -> o.maxAttempts(2))
                                        .capture(() -> inner.fail(new IllegalStateException()))
                                        .attempts())
                                .isEqualTo(2);
                        assertThat(Retries.capture(() -> inner.fail(new IllegalArgumentException()))
                                        .attempts())
                                .as("the inner list is gone")
                                .isEqualTo(1);
                    });
        });
    }

    @Test
    void listsAddToThoseOfTheMethod() {
        runner.run(context -> {
            Inner inner = context.getBean(Inner.class);
            RetryResult<Object> result = Retries.with(o -> o.exceptions(IllegalStateException.class))
                    .capture(() -> inner.fail(new IOException(), new IllegalStateException(), new IOException()));
            assertThat(result.attempts()).isEqualTo(3);
            assertThat(Retries.with(o ->
                                    o.exceptions(IllegalStateException.class).excludes(IOException.class))
                            .capture(() -> inner.fail(new IOException()))
                            .stopReason())
                    .isEqualTo(StopReason.NOT_RETRYABLE);
            assertThat(Retries.with(o -> o.nonRetryableErrors("java.io.*"))
                            .capture(() -> inner.fail(new IOException()))
                            .stopReason())
                    .isEqualTo(StopReason.NOT_RETRYABLE);
        });
    }

    @Test
    void rejectsBadValuesWhereTheyAreSet() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Retries.with(o -> o.maxAttempts(-1)))
                .withMessageContaining("maxAttempts is '-1'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Retries.with(o -> o.delay(Duration.ofSeconds(-1))))
                .withMessageContaining("delay");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Retries.with(o -> o.multiplier(0.5)))
                .withMessageContaining("multiplier");
    }

    @Test
    void rejectsAtTheCallWhatDoesNotFitTheMethod() {
        runner.run(context -> {
            Inner inner = context.getBean(Inner.class);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Retries.with(o -> o.backoff("cubic")).run(inner::fail))
                    .withMessageContainingAll("Retries.with", "cubic", "fibonacci");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Retries.with(o -> o.recover("nobody")).run(inner::fail))
                    .withMessageContainingAll("recover is 'nobody'", Inner.class.getName());
            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () -> Retries.with(o -> o.onlyIf("#errr == null")).run(inner::fail))
                    .withMessageContaining("#errr");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Retries.with(
                                    o -> o.delay(Duration.ofSeconds(2)).maxDelay(Duration.ofSeconds(1)))
                            .run(inner::fail))
                    .withMessageContaining("maxDelay");
            assertThat(inner.calls()).isZero();
        });
    }

    @Test
    void anEmptyTextSaysNothingUseful() {
        runner.run(context -> {
            Inner inner = context.getBean(Inner.class);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Retries.with(o -> o.backoff(" ")).run(inner::fail));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Retries.with(o -> o.recover("")).run(inner::fail));
        });
    }

    @Test
    void theOperatorsLimitHoldsAndIsLoggedOnce(CapturedOutput output) {
        runner.withPropertyValues("retryon.limits.max-attempts=4").run(context -> {
            Inner inner = context.getBean(Inner.class);
            assertThat(Retries.with(o -> o.maxAttempts(100))
                            .capture(() -> inner.fail(new IOException()))
                            .attempts())
                    .isEqualTo(4);
            assertThat(Retries.with(o -> o.maxAttempts(100))
                            .capture(() -> inner.fail(new IOException()))
                            .attempts())
                    .isEqualTo(4);
            assertThat(output).containsOnlyOnce("maxAttempts 100 (Retries.with)");
        });
    }

    @Test
    void anOverridingRecoveryServesTheCall() {
        runner.run(context -> assertThat(Retries.with(o -> o.recover("standIn"))
                        .call(() -> context.getBean(Inner.class).fail(new IOException("x"))))
                .isEqualTo("x"));
    }

    @Test
    void captureTellsHowTheLastCallWent() {
        runner.run(context -> {
            Inner inner = context.getBean(Inner.class);
            RetryResult<Object> failed = Retries.capture(() -> inner.fail(new IOException("a")));
            assertThat(failed.error()).isInstanceOf(IOException.class);
            assertThat(failed.attempts()).isEqualTo(3);
            assertThat(failed.retries()).isEqualTo(2);
            assertThat(failed.retried()).isTrue();
            assertThat(failed.delays()).containsExactly(Duration.ZERO, Duration.ZERO);
            assertThat(failed.errors()).hasSize(3);
            assertThat(failed.stopReason()).isEqualTo(StopReason.EXHAUSTED);

            RetryResult<String> last = Retries.capture(() -> {
                assertThatThrownBy(() -> inner.fail(new IOException("b"))).isInstanceOf(IOException.class);
                return inner.work();
            });
            assertThat(last.value()).isEqualTo("done");
            assertThat(last.attempts()).isEqualTo(1);
            assertThat(last.retried()).isFalse();
            assertThat(last.stopReason()).isNull();
        });
    }

    @Test
    void captureWithoutAnInterceptedCallHasNoAttempts() {
        RetryResult<String> result = Retries.capture(() -> "plain");
        assertThat(result.value()).isEqualTo("plain");
        assertThat(result.attempts()).isZero();
        IllegalStateException error = new IllegalStateException();
        RetryResult<Object> failed = Retries.capture(() -> {
            throw error;
        });
        assertThat(failed.error()).isSameAs(error);
    }

    @Test
    void captureThrowsErrors() {
        runner.run(context -> assertThatThrownBy(
                        () -> Retries.capture(() -> context.getBean(Inner.class).crash()))
                .isInstanceOf(AssertionError.class)
                .hasMessage("bug"));
    }

    @Test
    void aFailedLambdaLeavesNoOverrideBehind() {
        runner.run(context -> {
            Inner inner = context.getBean(Inner.class);
            assertThatThrownBy(() -> Retries.with(o -> o.maxAttempts(9)).run(() -> {
                        throw new IllegalStateException("of the lambda");
                    }))
                    .hasMessage("of the lambda");
            assertThat(RetryScope.current()).isNull();
            assertThatThrownBy(inner::fail).hasMessage("attempt 3");
        });
    }

    static class Inner {

        private int calls;

        int calls() {
            return calls;
        }

        @RetryOn(IOException.class)
        public void fail() throws IOException {
            throw new IOException("attempt " + ++calls);
        }

        @RetryOn(IOException.class)
        public Object fail(Exception... errors) throws Exception {
            throw errors[calls++ % errors.length];
        }

        @RetryOn(IOException.class)
        public String crash() {
            throw new AssertionError("bug");
        }

        @RetryOn(IOException.class)
        public String work() {
            return "done";
        }

        String standIn(IOException error) {
            return error.getMessage();
        }
    }

    static class Outer {

        private final Inner inner;

        private int calls;

        int calls() {
            return calls;
        }

        Outer(Inner inner) {
            this.inner = inner;
        }

        @RetryOn(IOException.class)
        public void callInner() throws IOException {
            calls++;
            inner.fail();
        }

        @RetryOn(IOException.class)
        protected void unused() {}
    }
}
