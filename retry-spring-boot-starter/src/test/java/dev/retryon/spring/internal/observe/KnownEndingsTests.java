// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.RetryRegistry;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The series that are there at zero before anything has failed. */
class KnownEndingsTests {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private final ApplicationContextRunner runner =
            Telemetry.application().withBean(SimpleMeterRegistry.class, () -> registry);

    private List<String> calls(String name) {
        return registry.find("retryon.calls").tag("name", name).counters().stream()
                .filter(counter -> counter.count() == 0)
                .map(counter -> counter.getId().getTag("outcome") + " "
                        + counter.getId().getTag("reason"))
                .toList();
    }

    private Stream<String> retries(String name) {
        return registry.find("retryon.retries").tag("name", name).counters().stream()
                .filter(counter -> counter.count() == 0)
                .map(Counter::getId)
                .map(id -> String.valueOf(id.getTag("exception")));
    }

    @Test
    void ofARecoveryAfterErrorsThatAreNotRetried() {
        runner.withBean(Recovered.class).run(context -> {
            assertThat(calls("stand-in")).contains("recovered not_retryable", "recovered exhausted");
            assertThat(calls("sometimes")).contains("recovered exhausted").doesNotContain("recovered not_retryable");
        });
    }

    @Test
    void ofAttemptsThatTakeTooLong() {
        runner.withBean(Recovered.class).run(context -> {
            assertThat(retries("stand-in")).containsExactlyInAnyOrder("IOException", "AttemptTimeoutException");
            assertThat(retries("sometimes")).containsExactly("IOException");
        });
    }

    @Test
    void ofRetriesOfTheRegistry() {
        runner.withPropertyValues(
                        "retryon.policies.mail.exceptions=java.io.IOException",
                        "retryon.policies.mail.timeout=10s",
                        "retryon.policies.mail.attempt-timeout=1s",
                        "retryon.policies.mail.budget=default",
                        "retryon.policies.mail.only-if=#attempt < 2",
                        "retryon.policies.mail.retry-if=#result == null")
                .run(context -> {
                    assertThat(calls("mail")).isEmpty();
                    context.getBean(RetryRegistry.class).retry("mail");
                    assertThat(calls("mail"))
                            .contains("failure timeout", "failure budget", "failure rejected", "failure exhausted")
                            .doesNotContain("failure cancelled");
                    assertThat(retries("mail"))
                            .containsExactlyInAnyOrder("IOException", "AttemptTimeoutException", "result");
                });
    }

    static class Recovered {

        @RetryOn(
                value = IOException.class,
                name = "stand-in",
                attemptTimeout = "1s",
                recover = "standIn",
                recoverOn = IllegalStateException.class)
        public String always() throws IOException {
            return "";
        }

        @RetryOn(value = IOException.class, name = "sometimes", attemptTimeout = "0s", recover = "standIn")
        public String sometimes() throws IOException {
            return "";
        }

        String standIn(Exception error) {
            return "stood in";
        }
    }
}
