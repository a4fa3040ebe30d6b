// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.jayway.jsonpath.JsonPath;
import dev.retryon.RetryFailed;
import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import dev.retryon.StopReason;
import dev.retryon.http.HttpRetry;
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

/** An operator changes the retries of clients, in real time: a wait that is not ended lasts an hour. */
@Tag("slow")
class ChangedClientsTests {

    @Test
    void aRequestThatWaitsIsGivenUp() throws Exception {
        try (ConfigurableApplicationContext context = start()) {
            RestClient client = client(context.getBean(HttpRetry.class).named("catalogue"));
            CompletableFuture<Void> request = CompletableFuture.runAsync(
                    () -> assertThatExceptionOfType(ResourceAccessException.class)
                            .isThrownBy(() -> get(client)),
                    new SimpleAsyncTaskExecutor("caller-"));
            Seen seen = context.getBean(Seen.class);
            assertThat(seen.scheduled.await(30, TimeUnit.SECONDS)).isTrue();

            ResponseEntity<byte[]> changed =
                    send(context, HttpMethod.POST, "/http%20catalogue", "{\"retryable\": false}");
            assertThat(changed.getStatusCode().value()).isBetween(200, 204);

            request.get(30, TimeUnit.SECONDS);
            String shown = ActuatorRequest.text(send(context, HttpMethod.GET, "/http%20catalogue", ""));
            assertThat(JsonPath.<String>read(shown, "$.client.settings.retryable.sources[0]"))
                    .startsWith("operator since ");
            assertThat(seen.reasons).containsExactly(StopReason.SWITCHED_OFF);
        }
    }

    @Test
    void theNextRequestHasChangedSettings() {
        try (ConfigurableApplicationContext context = start()) {
            HttpRetry ofProperties = context.getBean(HttpRetry.class).named("catalogue");
            HttpRetry ofCode = ofProperties.toBuilder()
                    .name("orders")
                    .policy(ofProperties.policy())
                    .build();

            send(context, HttpMethod.POST, "", "{\"delay\": \"0s\"}");
            send(context, HttpMethod.POST, "/http%20catalogue", "{\"maxAttempts\": 4}");
            send(context, HttpMethod.POST, "/http%20orders", "{\"maxAttempts\": 5}");

            Seen seen = context.getBean(Seen.class);
            for (HttpRetry http : List.of(ofProperties, ofCode)) {
                assertThatExceptionOfType(ResourceAccessException.class).isThrownBy(() -> get(client(http)));
            }
            assertThat(seen.attempts).containsExactly(4, 5);
            assertThat(seen.reasons).containsOnly(StopReason.EXHAUSTED);
            String shown = ActuatorRequest.text(send(context, HttpMethod.GET, "/http%20orders", ""));
            assertThat(JsonPath.<Integer>read(shown, "$.client.settings.maxAttempts.value"))
                    .isEqualTo(5);
            assertThat(JsonPath.<Integer>read(shown, "$.retries")).isEqualTo(4); // 4 = 5 - 1

            send(context, HttpMethod.DELETE, "/http%20catalogue", "");
            assertThat(ofProperties.policy().maxAttempts()).isEqualTo(3);
        }
    }

    private static ConfigurableApplicationContext start() {
        return new SpringApplicationBuilder(Application.class)
                .run(
                        "--server.port=0",
                        "--management.endpoints.web.exposure.include=retryon",
                        "--management.endpoint.retryon.access=unrestricted",
                        "--spring.main.banner-mode=off",
                        "--retryon.policies.patient.delay=1h",
                        "--retryon.policies.patient.max-delay=1h",
                        "--retryon.policies.patient.exceptions=java.io.IOException",
                        "--retryon.http.enabled=true",
                        "--retryon.http.policy=patient");
    }

    private static RestClient client(HttpRetry http) {
        return RestClient.builder()
                .requestInterceptor(new RetryClientHttpRequestInterceptor(http))
                .build();
    }

    private static void get(RestClient client) {
        client.get().uri("http://localhost:1/").retrieve().toBodilessEntity();
    }

    private static ResponseEntity<byte[]> send(
            ConfigurableApplicationContext context, HttpMethod method, String path, String body) {
        int port = ((WebServerApplicationContext) context).getWebServer().getPort();
        return ActuatorRequest.send(port, method, "/actuator/retryon" + path, body, "");
    }

    static class Seen {

        final CountDownLatch scheduled = new CountDownLatch(1);

        final List<StopReason> reasons = new CopyOnWriteArrayList<>();

        final List<Integer> attempts = new CopyOnWriteArrayList<>();
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
                    seen.attempts.add(failed.attempt());
                }
            };
        }
    }
}
