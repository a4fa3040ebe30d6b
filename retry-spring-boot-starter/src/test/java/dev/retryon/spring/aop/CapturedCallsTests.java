/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.RetryResult;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

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
    void notOfTheCallBeforeOneThatEndedWithAnErrorOrReturnedAFuture() {
        runner.run(context -> {
            Inner inner = context.getBean(Inner.class);

            RetryResult<String> error = Retries.capture(() -> {
                String value = inner.work();
                assertThatExceptionOfType(AssertionError.class).isThrownBy(inner::crash);
                return value;
            });
            RetryResult<String> future = Retries.capture(() -> {
                inner.work();
                return inner.later().join();
            });

            assertThat(error.value()).isEqualTo("done");
            assertThat(error.attempts()).isZero();
            assertThat(future.value()).isEqualTo("later");
            assertThat(future.attempts()).isZero();
        });
    }

    static class Inner {

        @RetryOn(value = IOException.class, delay = "0s")
        public String work() {
            return "done";
        }

        private int attempts;

        @RetryOn(value = IOException.class, delay = "0s")
        public CompletableFuture<String> later() {
            return ++attempts == 1
                    ? CompletableFuture.failedFuture(new IOException("down"))
                    : CompletableFuture.completedFuture("later");
        }

        @RetryOn(value = IOException.class, delay = "0s")
        public String crash() {
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
