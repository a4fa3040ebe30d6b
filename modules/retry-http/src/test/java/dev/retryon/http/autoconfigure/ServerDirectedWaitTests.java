// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.RetryContext;
import dev.retryon.RetryHint;
import dev.retryon.RetryHintResolver;
import dev.retryon.StopReason;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.test.RecordedRetries;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.reactive.function.client.WebClientResponseException;

/** Errors of Spring's HTTP clients, thrown by annotated methods, say how long to wait. */
class ServerDirectedWaitTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class, RetryHttpAutoConfiguration.class))
            .withUserConfiguration(VirtualTimeBeans.class)
            .withBean(Catalogue.class)
            .withPropertyValues("retryon.defaults.delay=7ms", "retryon.defaults.jitter=none");

    private static HttpHeaders headers(String name, String value) {
        HttpHeaders headers = new HttpHeaders();
        headers.add(name, value);
        return headers;
    }

    static HttpServerErrorException unavailable(HttpHeaders headers) {
        return HttpServerErrorException.create(
                HttpStatus.SERVICE_UNAVAILABLE, "busy", headers, new byte[0], StandardCharsets.UTF_8);
    }

    private void waits(Exception error, Duration expected) {
        runner.run(context -> {
            context.getBean(Catalogue.class).find(error);
            assertThat(context.getBean(RecordedRetries.class))
                    .of("Catalogue.find")
                    .attempted(2)
                    .waited(expected);
        });
    }

    @Test
    void errorsOfRestClientsAreHeard() {
        waits(unavailable(headers("Retry-After", "3")), Duration.ofSeconds(3));
        waits(unavailable(headers("RateLimit-Reset", "4")), Duration.ofSeconds(4));
        waits(unavailable(headers("RateLimit", "\"default\";r=0;t=5")), Duration.ofSeconds(5));
        waits(unavailable(headers("x-ms-retry-after-ms", "250")), Duration.ofMillis(250));
    }

    @Test
    void errorsOfWebClientsAreHeard() {
        waits(
                WebClientResponseException.create(
                        429, "Too Many Requests", headers("Retry-After", "3"), new byte[0], null),
                Duration.ofSeconds(3));
    }

    @Test
    void errorsThatAreCausesAreHeard() {
        waits(
                new IllegalStateException("no catalogue", unavailable(headers("Retry-After", "3"))),
                Duration.ofSeconds(3));
    }

    @Test
    void errorsThatSayNothingLeaveItToThePolicy() {
        waits(unavailable(new HttpHeaders()), Duration.ofMillis(7));
        waits(unavailable(headers("Retry-After", "soon")), Duration.ofMillis(7));
    }

    @Test
    void askingForLongerThanThePolicyAllowsEndsTheCall() {
        runner.withPropertyValues("retryon.defaults.max-delay=1m").run(context -> {
            Catalogue catalogue = context.getBean(Catalogue.class);
            assertThatExceptionOfType(HttpServerErrorException.class)
                    .isThrownBy(() -> catalogue.find(unavailable(headers("Retry-After", "99999999999999999999"))));
            assertThat(context.getBean(RecordedRetries.class))
                    .of("Catalogue.find")
                    .failed(StopReason.DELAY_TOO_LONG);
        });
    }

    @Test
    void aResolverOfTheUsersComesFirst() {
        runner.withBean(
                        RetryHintResolver.class,
                        () -> (error, context) -> RetryHint.ofRetryAfter(Duration.ofSeconds(11)))
                .run(context -> {
                    context.getBean(Catalogue.class).find(unavailable(headers("Retry-After", "3")));
                    assertThat(context.getBean(RecordedRetries.class))
                            .of("Catalogue.find")
                            .waited(Duration.ofSeconds(11));
                });
    }

    static class Catalogue {

        @RetryOn({RestClientResponseException.class, WebClientResponseException.class})
        public List<String> find(Exception error) throws Exception {
            if (RetryContext.current().attempt() == 1) {
                throw error;
            }
            return List.of();
        }
    }
}
