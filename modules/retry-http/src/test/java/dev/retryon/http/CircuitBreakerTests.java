// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import static dev.retryon.http.ScriptedServer.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.StopReason;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClient;

/** Retry outside, Resilience4j's circuit breaker inside: it sees every attempt, and once open ends the retry. */
class CircuitBreakerTests {

    private final CircuitBreaker breaker = CircuitBreaker.of(
            "catalogue",
            CircuitBreakerConfig.custom()
                    .slidingWindowSize(2)
                    .minimumNumberOfCalls(2)
                    .recordResult(result -> result instanceof ClientHttpResponse response && isDown(response))
                    .build());

    private final ScriptedServer server = new ScriptedServer(status(503), status(503), status(503), status(503));

    private static boolean isDown(ClientHttpResponse response) {
        try {
            return response.getStatusCode().is5xxServerError();
        } catch (IOException ex) {
            return true;
        }
    }

    private RestClient client(HttpTrial trial) {
        ClientHttpRequestInterceptor breaking = (request, body, execution) -> {
            try {
                return breaker.executeCallable(() -> execution.execute(request, body));
            } catch (IOException | RuntimeException ex) {
                throw ex;
            } catch (Exception ex) {
                throw new IllegalStateException(ex);
            }
        };
        return RestClient.builder()
                .baseUrl(server.url())
                .requestFactory(new JdkClientHttpRequestFactory())
                .requestInterceptor(new RetryClientHttpRequestInterceptor(trial.http))
                .requestInterceptor(breaking)
                .build();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void anOpenCircuitEndsTheRetry() {
        HttpTrial trial = new HttpTrial(
                http -> http.policy(HttpTrial.policy().maxAttempts(10).build()));

        assertThatExceptionOfType(CallNotPermittedException.class)
                .isThrownBy(() -> client(trial).get().retrieve().toBodilessEntity());

        assertThat(breaker.getState()).isEqualTo(State.OPEN);
        assertThat(server.requests()).as("two made it open").hasSize(2);
        assertThat(trial.attempts())
                .as("the third was not permitted, and is the last")
                .isEqualTo(3);
        assertThat(trial.reason()).isEqualTo(StopReason.NOT_RETRYABLE);
    }

    @Test
    void anOpenCircuitEndsTheRetryThoughAllExceptionsAreListed() {
        HttpTrial trial = new HttpTrial(http -> http.policy(HttpTrial.policy()
                .maxAttempts(10)
                .retryOn(Exception.class)
                .excludes(CallNotPermittedException.class)
                .build()));

        assertThatExceptionOfType(CallNotPermittedException.class)
                .isThrownBy(() -> client(trial).get().retrieve().toBodilessEntity());

        assertThat(server.requests()).hasSize(2);
        assertThat(trial.attempts()).isEqualTo(3);
    }

    @Test
    void theBreakerSeesEveryAttempt() {
        HttpTrial trial = new HttpTrial(
                http -> http.policy(HttpTrial.policy().maxAttempts(2).build()));

        assertThatExceptionOfType(HttpServerErrorException.class)
                .isThrownBy(() -> client(trial).get().retrieve().toBodilessEntity());

        assertThat(breaker.getMetrics().getNumberOfFailedCalls()).isEqualTo(2);
    }
}
