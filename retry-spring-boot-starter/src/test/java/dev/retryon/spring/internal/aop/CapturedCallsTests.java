// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.RetryResult;
import dev.retryon.StopReason;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Of which call {@code Retries.capture} tells. */
class CapturedCallsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withBean(Inner.class)
            .withBean(Outer.class);

    @Test
    void ofTheCallOfTheLambdaAndNotOfOneInsideItThatEndedWithAnError() {
        runner.run(context -> {
            Outer outer = context.getBean(Outer.class);

            RetryResult<String> result = Retries.capture(outer::place);

            assertThat(result.value()).isEqualTo("placed");
            assertThat(result.attempts()).isEqualTo(3);
        });
    }

    @Test
    void countsTheAttemptsOfACallWhoseErrorTheLambdaCaught() {
        runner.run(context -> {
            Inner inner = context.getBean(Inner.class);

            RetryResult<String> once = Retries.capture(() -> {
                String value = inner.work();
                assertThatExceptionOfType(AssertionError.class).isThrownBy(inner::crash);
                return value;
            });
            RetryResult<String> retried = Retries.capture(() -> {
                assertThatExceptionOfType(AssertionError.class).isThrownBy(inner::crashTwice);
                return "caught";
            });

            assertThat(once.value()).isEqualTo("done");
            assertThat(once.attempts()).isOne();
            assertThat(once.stopReason()).isEqualTo(StopReason.NOT_RETRYABLE);
            assertThat(retried.value()).isEqualTo("caught");
            assertThat(retried.attempts()).isEqualTo(2);
            assertThat(retried.stopReason()).isEqualTo(StopReason.EXHAUSTED);
        });
    }

    @Test
    void throwsAnErrorThatTheLambdaDoesNotCatch() {
        runner.run(context -> {
            Inner inner = context.getBean(Inner.class);

            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(() -> Retries.capture(inner::crashTwice))
                    .withMessage("bug");
        });
    }

    @Test
    void notOfTheCallBeforeOneThatHasNotEnded() {
        runner.run(context -> {
            Inner inner = context.getBean(Inner.class);

            RetryResult<String> future = Retries.capture(() -> {
                inner.work();
                inner.never();
                return "value";
            });

            assertThat(future.value()).isEqualTo("value");
            assertThat(future.attempts()).isZero();
            assertThat(future.retried()).isFalse();
        });
    }

    @Test
    void ofAFutureThatTheLambdaWaitedFor() {
        runner.run(context -> {
            Inner inner = context.getBean(Inner.class);

            RetryResult<String> result = Retries.capture(() -> inner.later().join());

            assertThat(result.value()).isEqualTo("later");
            assertThat(result.attempts()).isEqualTo(3);
            assertThat(result.delays()).containsExactly(Duration.ofMillis(1), Duration.ofMillis(1));
            assertThat(result.errors()).extracting(Throwable::getMessage).containsExactly("down 1", "down 2");
            assertThat(result.stopReason()).isNull();
            assertThat(Retries.capture(() -> inner.later().join()).attempts()).isOne();
        });
    }

    @Test
    void ofAFutureThatFailed() {
        runner.run(context -> {
            Inner inner = context.getBean(Inner.class);

            RetryResult<String> result = Retries.with(retry -> retry.maxAttempts(2))
                    .capture(() -> inner.later().get(30, TimeUnit.SECONDS));

            assertThat(result.error()).isInstanceOf(ExecutionException.class).hasRootCauseMessage("down 2");
            assertThat(result.attempts()).isEqualTo(2);
            assertThat(result.errors()).extracting(Throwable::getMessage).containsExactly("down 1", "down 2");
            assertThat(result.stopReason()).isEqualTo(StopReason.EXHAUSTED);
        });
    }

    @Test
    void ofAPublisherThatTheLambdaWaitedFor() {
        runner.run(context -> {
            Inner inner = context.getBean(Inner.class);

            assertThat(Retries.capture(() -> inner.mono().block()).attempts()).isEqualTo(3);
            assertThat(Retries.capture(() -> inner.flux().collectList().block()).attempts())
                    .isEqualTo(3);
            assertThat(Retries.capture(inner::mono).attempts()).isZero(); // nobody has subscribed
        });
    }

    @Test
    void ofTheCallThatBeganLast() {
        runner.run(context -> {
            Inner inner = context.getBean(Inner.class);

            RetryResult<String> result = Retries.capture(() -> {
                CompletableFuture<String> first = inner.later();
                inner.work();
                return first.join();
            });

            assertThat(result.value()).isEqualTo("later");
            assertThat(result.attempts()).isOne();
        });
    }

    @Test
    void ofAFutureThatWasCancelledNothing() {
        runner.run(context -> {
            Inner inner = context.getBean(Inner.class);

            RetryResult<Boolean> result = Retries.capture(() -> inner.never().cancel(true));

            assertThat(result.value()).isTrue();
            assertThat(result.attempts()).isZero();
        });
    }

    static class Inner {

        @RetryOn(value = IOException.class, delay = "0s")
        public String work() {
            return "done";
        }

        private int attempts;

        private int monos;

        private int fluxes;

        @RetryOn(value = IOException.class, delay = "1ms", backoff = "fixed", jitter = "none")
        public CompletableFuture<String> later() {
            return ++attempts < 3
                    ? CompletableFuture.failedFuture(new IOException("down " + attempts))
                    : CompletableFuture.completedFuture("later");
        }

        @RetryOn(value = IOException.class, delay = "0s")
        public CompletableFuture<String> never() {
            return new CompletableFuture<>();
        }

        @RetryOn(value = IOException.class, delay = "0s")
        public Mono<String> mono() {
            return Mono.defer(() -> ++monos < 3 ? Mono.error(new IOException("down")) : Mono.just("mono"));
        }

        @RetryOn(value = IOException.class, delay = "0s")
        public Flux<String> flux() {
            return Flux.defer(() -> ++fluxes < 3 ? Flux.error(new IOException("down")) : Flux.just("a", "b"));
        }

        @RetryOn(value = IOException.class, delay = "0s")
        public String crash() {
            throw new AssertionError("bug");
        }

        @RetryOn(value = AssertionError.class, maxAttempts = 2, delay = "0s")
        public String crashTwice() {
            throw new AssertionError("bug");
        }
    }

    static class Outer {

        private final Inner inner;

        private int attempts;

        Outer(Inner inner) {
            this.inner = inner;
        }

        @RetryOn(value = IOException.class, delay = "0s")
        public String place() throws IOException {
            assertThatExceptionOfType(AssertionError.class).isThrownBy(inner::crash);
            if (++attempts < 3) {
                throw new IOException("attempt " + attempts);
            }
            return "placed";
        }
    }
}
