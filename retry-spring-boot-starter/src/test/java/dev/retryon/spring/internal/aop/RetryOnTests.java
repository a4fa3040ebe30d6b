// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.RetryContext;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class RetryOnTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withPropertyValues("retryon.defaults.backoff=none")
            .withBean(Payments.class);

    @Test
    void retriesUntilTheMethodSucceeds() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            assertThat(payments.charge("a", 2)).isEqualTo("charged a");
            assertThat(payments.attempts()).containsExactly(1, 2, 3);
        });
    }

    @Test
    void throwsTheLastErrorItself() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> payments.charge("a", 5))
                    .withMessage("failure 3");
        });
    }

    @Test
    void recovers() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            assertThat(payments.recovered("a")).isEqualTo("recovered a after 3: down");
        });
    }

    @Test
    void overridesOneCall() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            assertThat(Retries.with(o -> o.maxAttempts(6)).capture(() -> payments.charge("a", 5)))
                    .satisfies(result -> {
                        assertThat(result.attempts()).isEqualTo(6);
                        assertThat(result.value()).isEqualTo("charged a");
                    });
        });
    }

    @Test
    void gates() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> payments.gated("x"));
            assertThat(payments.attempts()).containsExactly(1, 2);
        });
    }

    static class Payments {

        private final List<Integer> attempts = new ArrayList<>();

        public List<Integer> attempts() {
            return attempts;
        }

        @RetryOn(IOException.class)
        public String charge(String order, int failures) throws IOException {
            int attempt = RetryContext.current().attempt();
            attempts.add(attempt);
            if (attempt <= failures) {
                throw new IOException("failure " + attempt);
            }
            return "charged " + order;
        }

        @RetryOn(value = IOException.class, excludes = FileNotFoundException.class, recover = "standIn")
        public String recovered(String order) throws IOException {
            throw new IOException("down");
        }

        @RetryOn(value = IOException.class, onlyIf = "again(#error, #attempt) && #order == 'x'")
        public String gated(String order) throws IOException {
            attempts.add(RetryContext.current().attempt());
            throw new IOException("down");
        }

        public boolean again(Throwable error, int attempt) {
            return attempt < 2;
        }

        String standIn(String order, IOException error, RetryContext context) {
            return "recovered " + order + " after " + context.attempt() + ": " + error.getMessage();
        }
    }
}
