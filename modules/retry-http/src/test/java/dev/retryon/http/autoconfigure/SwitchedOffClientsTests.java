// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.jayway.jsonpath.JsonPath;
import dev.retryon.RetryFailed;
import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import dev.retryon.StopReason;
import dev.retryon.http.RetryClientHttpRequestInterceptor;
import dev.retryon.spring.internal.actuate.ActuatorRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

/** An operator switches the retries of a client off, in real time: a wait that is not ended lasts an hour. */
@Tag("slow")
class SwitchedOffClientsTests {

    @Test
    void aRequestThatWaitsIsGivenUp() throws Exception {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .run(
                        "--server.port=0",
                        "--management.endpoints.web.exposure.include=retryon",
                        "--management.endpoint.retryon.access=unrestricted",
                        "--spring.main.banner-mode=off",
                        "--retryon.policies.patient.delay=1h",
                        "--retryon.policies.patient.max-delay=1h",
                        "--retryon.policies.patient.exceptions=java.io.IOException",
                        "--retryon.http.enabled=true",
                        "--retryon.http.policy=patient")) {
            RestClient client = RestClient.builder()
                    .requestInterceptor(context.getBean(RetryClientHttpRequestInterceptor.class)
                            .named("catalogue"))
                    .build();
            CompletableFuture<Void> request = CompletableFuture.runAsync(
                    () -> assertThatExceptionOfType(ResourceAccessException.class)
                            .isThrownBy(() -> client.get()
                                    .uri("http://localhost:1/")
                                    .retrieve()
                                    .toBodilessEntity()),
                    new SimpleAsyncTaskExecutor("caller-"));
            Seen seen = context.getBean(Seen.class);
            assertThat(seen.scheduled.await(30, TimeUnit.SECONDS)).isTrue();

            ResponseEntity<byte[]> refused = send(context, HttpMethod.POST, "{\"maxAttempts\": 1}");
            assertThat(refused.getStatusCode().value()).isEqualTo(400);
            assertThat(ActuatorRequest.text(refused))
                    .contains("only retryable can be changed while the application runs");
            ResponseEntity<byte[]> changed = send(context, HttpMethod.POST, "{\"retryable\": false}");
            assertThat(changed.getStatusCode().value()).isBetween(200, 204);

            request.get(30, TimeUnit.SECONDS);
            String shown = ActuatorRequest.text(send(context, HttpMethod.GET, ""));
            assertThat(JsonPath.<String>read(shown, "$.client.settings.retryable.sources[0]"))
                    .startsWith("operator since ");
            assertThat(seen.reasons).containsExactly(StopReason.SWITCHED_OFF);
        }
    }

    private static ResponseEntity<byte[]> send(ConfigurableApplicationContext context, HttpMethod method, String body) {
        int port = ((WebServerApplicationContext) context).getWebServer().getPort();
        return ActuatorRequest.send(port, method, "/actuator/retryon/http%20catalogue", body, "");
    }

    static class Seen {

        final CountDownLatch scheduled = new CountDownLatch(1);

        final List<StopReason> reasons = new CopyOnWriteArrayList<>();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Seen seen() {
            return new Seen();
        }

        @Bean
        RetryListener listener(Seen seen) {
            return event -> {
                if (event instanceof RetryScheduled) {
                    seen.scheduled.countDown();
                } else if (event instanceof RetryFailed failed) {
                    seen.reasons.add(failed.reason());
                }
            };
        }
    }
}
