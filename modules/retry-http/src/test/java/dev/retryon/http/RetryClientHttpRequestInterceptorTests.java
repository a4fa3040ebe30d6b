// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import static dev.retryon.http.ScriptedServer.answer;
import static dev.retryon.http.ScriptedServer.breakOff;
import static dev.retryon.http.ScriptedServer.endless;
import static dev.retryon.http.ScriptedServer.hangUp;
import static dev.retryon.http.ScriptedServer.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.RetryContext;
import dev.retryon.RetryHistory;
import dev.retryon.RetryScheduled;
import dev.retryon.RetrySucceeded;
import dev.retryon.StopReason;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/** Which requests are retried, when, and what the caller gets. */
@Timeout(120)
class RetryClientHttpRequestInterceptorTests {

    private final HttpTrial trial = new HttpTrial(http -> http.name("catalogue"));

    private ScriptedServer server = new ScriptedServer();

    @AfterEach
    void stop() {
        server.close();
    }

    private void serve(ScriptedServer.Answer... answers) {
        server.close();
        server = new ScriptedServer(answers);
    }

    private RestClient client() {
        return client(trial);
    }

    private RestClient client(HttpTrial of) {
        return Clients.of(server, new JdkClientHttpRequestFactory(), of);
    }

    private static String get(RestClient client) {
        return client.get().uri("/book").retrieve().body(String.class);
    }

    private List<String> methods() {
        return server.requests().stream().map(ScriptedServer.Request::method).toList();
    }

    @Test
    void retriesStatusesUntilOneIsAnAnswer() {
        serve(status(503), status(503));

        assertThat(get(client())).isEqualTo("ok");

        assertThat(server.requests()).hasSize(3);
        assertThat(trial.waits()).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2));
        assertThat(trial.events())
                .hasOnlyElementsOfTypes(RetryScheduled.class, RetrySucceeded.class)
                .allSatisfy(event -> {
                    assertThat(event.name()).isEqualTo("http catalogue");
                    assertThat(event.error())
                            .isInstanceOfSatisfying(RetryableResponseException.class, error -> {
                                assertThat(error.status().value()).isEqualTo(503);
                                assertThat(error.errorCode()).isEqualTo("http.503");
                                assertThat(error.headers().getContentLength()).isEqualTo(10);
                            })
                            .hasMessage("the server responded with 503 SERVICE_UNAVAILABLE")
                            .hasNoCause();
                });
    }

    @Test
    void aRequestThatSucceedsAtOnceIsSilent() {
        assertThat(get(client())).isEqualTo("ok");
        assertThat(trial.events()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 429, 500, 502, 503, 504})
    void retriesTheDefaultStatuses(int status) {
        serve(status(status));
        assertThat(get(client())).isEqualTo("ok");
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 404, 409, 425, 501, 505})
    void leavesOtherStatusesToTheCaller(int status) {
        serve(status(status));
        int seen = client().get()
                .exchange((request, response) -> response.getStatusCode().value());
        assertThat(seen).isEqualTo(status);
        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void statusesAndMethodsAreToBeChosen() {
        HttpTrial chosen = new HttpTrial(http -> http.statuses(Set.of(500)).methods(Set.of(HttpMethod.POST)));
        serve(status(500), status(503));

        assertThatExceptionOfType(HttpServerErrorException.ServiceUnavailable.class)
                .isThrownBy(() -> client(chosen).post().body("a").retrieve().toBodilessEntity());
        assertThat(methods()).containsExactly("POST", "POST");
    }

    @Test
    void waitsForSecondsThatTheServerAsksFor() {
        serve(status(503, "Retry-After", "7"), status(429, "X-RateLimit-Reset", "8"));

        assertThat(get(client())).isEqualTo("ok");
        assertThat(trial.waits()).containsExactly(Duration.ofSeconds(7), Duration.ofSeconds(8));
    }

    @Test
    void waitsUntilTheDateThatTheServerAsksFor() {
        serve(exchange -> {
            String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                    Instant.now().plusSeconds(200).atOffset(ZoneOffset.UTC));
            status(503, "Retry-After", date).to(exchange);
        });

        assertThat(get(client())).isEqualTo("ok");
        assertThat(trial.waits())
                .singleElement()
                .satisfies(wait -> assertThat(wait)
                        .as("since the server has written its own date")
                        .isBetween(Duration.ofSeconds(100), Duration.ofSeconds(200)));
    }

    @Test
    void doesNotWaitLongerThanThePolicyAllows() {
        serve(status(503, "Retry-After", "301")); // 301 s > 5 min

        assertThatExceptionOfType(HttpServerErrorException.ServiceUnavailable.class)
                .isThrownBy(() -> get(client()))
                .satisfies(error -> assertThat(error.getResponseBodyAsString()).isEqualTo("status 503"));
        assertThat(trial.reason()).isEqualTo(StopReason.DELAY_TOO_LONG);
    }

    @Test
    void theLastResponseIsHandledAsIfNothingHadHappened() {
        serve(answer(503, "first"), answer(502, "second"), answer(503, "third", "X-Reason", "night"));

        assertThatExceptionOfType(HttpServerErrorException.ServiceUnavailable.class)
                .isThrownBy(() -> get(client()))
                .satisfies(error -> {
                    assertThat(error.getResponseBodyAsString()).isEqualTo("third");
                    assertThat(error.getResponseHeaders().getFirst("X-Reason")).isEqualTo("night");
                });
        assertThat(trial.reason()).isEqualTo(StopReason.EXHAUSTED);

        serve(status(503), status(503), answer(503, "third"));
        assertThat(client().get()
                        .retrieve()
                        .onStatus(status -> status.value() == 503, (request, response) -> {})
                        .body(String.class))
                .isEqualTo("third");
    }

    @Test
    void retriesConnectionsThatAreRefused() throws IOException {
        try (RefusedAddress nobody = new RefusedAddress()) {
            RestClient client = client().mutate().baseUrl(nobody.url()).build();

            assertThatExceptionOfType(ResourceAccessException.class)
                    .isThrownBy(() -> get(client))
                    .havingCause()
                    .isInstanceOf(ConnectException.class)
                    .satisfies(
                            error -> assertThat(error.getSuppressed()).hasAtLeastOneElementOfType(RetryHistory.class));
        }
        assertThat(trial.attempts()).isEqualTo(3);
    }

    @Test
    void retriesConnectionsThatAreClosedWithoutAnAnswer() {
        serve(hangUp(), status(503));

        // Not GET: the JDK's client sends that again by itself.
        assertThat(client().put().body("book").retrieve().body(String.class)).isEqualTo("ok");
        assertThat(trial.events())
                .first()
                .satisfies(event -> assertThat(event.error()).isInstanceOf(IOException.class));
    }

    @Test
    void retriesAnswersThatTakeTooLong() {
        CountDownLatch over = new CountDownLatch(1);
        serve(exchange -> over.await());
        JdkClientHttpRequestFactory impatient = new JdkClientHttpRequestFactory();
        impatient.setReadTimeout(Duration.ofMillis(200));
        JdkClientHttpRequestFactory patient = new JdkClientHttpRequestFactory();
        // Only the first attempt is short of time: no other has to be answered within some.
        RestClient client = client().mutate()
                .requestFactory((uri, method) -> {
                    if (RetryContext.current().attempt() == 1) {
                        return impatient.createRequest(uri, method);
                    }
                    over.countDown();
                    return patient.createRequest(uri, method);
                })
                .build();

        assertThat(get(client)).isEqualTo("ok");
        assertThat(trial.events())
                .first()
                .satisfies(event -> assertThat(event.error()).isInstanceOf(HttpTimeoutException.class));
    }

    @Test
    void exclusionsOfThePolicyHold() throws IOException {
        HttpTrial excluding = new HttpTrial(http -> http.policy(HttpTrial.policy()
                .excludes(ConnectException.class)
                .nonRetryableErrors("http.502")
                .build()));
        serve(status(502));
        RestClient client = client(excluding);

        assertThatExceptionOfType(HttpServerErrorException.BadGateway.class).isThrownBy(() -> get(client));
        try (RefusedAddress nobody = new RefusedAddress()) {
            RestClient refused = client.mutate().baseUrl(nobody.url()).build();
            assertThatExceptionOfType(ResourceAccessException.class).isThrownBy(() -> get(refused));
        }
        assertThat(excluding.events())
                .hasSize(2)
                .allSatisfy(event -> assertThat(event.attempt()).isEqualTo(1));
    }

    @Test
    void interceptorsInsideRunOnceAnAttempt() {
        List<Integer> attempts = new ArrayList<>();
        serve(status(503), status(503));
        RestClient client = client().mutate()
                .requestInterceptor((request, body, execution) -> {
                    attempts.add(RetryContext.current().attempt());
                    request.getHeaders().add("X-Signature", "signed " + attempts.size());
                    return execution.execute(request, body);
                })
                .build();

        assertThat(get(client)).isEqualTo("ok");
        assertThat(attempts).containsExactly(1, 2, 3);
        assertThat(server.requests())
                .extracting(request -> request.headers().get("X-signature"))
                .containsExactly(List.of("signed 1"), List.of("signed 2"), List.of("signed 3"));
    }

    @Test
    void connectionsAreUsedAgain() {
        serve(status(503), status(503));

        get(client());

        assertThat(server.requests())
                .extracting(ScriptedServer.Request::port)
                .hasSize(3)
                .containsOnly(server.requests().get(0).port());
    }

    @Test
    void anAnswerThatBreaksOffIsDiscardedAllTheSame() {
        serve(breakOff(503));
        assertThat(get(client())).isEqualTo("ok");
    }

    @Test
    void anAnswerWithoutEndIsClosed() {
        serve(endless(503));
        assertThat(get(client())).isEqualTo("ok");
    }

    @Test
    void aBodyThatTheCallerReadsIsTheCallersMatter() {
        serve(breakOff(200));

        assertThatExceptionOfType(RestClientException.class)
                .isThrownBy(() -> get(client()))
                .withCauseInstanceOf(IOException.class);
        assertThat(server.requests()).hasSize(1);
        assertThat(trial.events()).isEmpty();
    }

    @Test
    void worksForRestTemplates() {
        serve(status(503), status(503), status(503), status(503));
        RestTemplate template = new RestTemplate(new JdkClientHttpRequestFactory());
        template.setInterceptors(List.of(
                (request, body, execution) -> {
                    assertThat(RetryContext.find()).as("is inside").isPresent();
                    return execution.execute(request, body);
                },
                new RetryClientHttpRequestInterceptor(trial.http)));

        assertThatExceptionOfType(HttpServerErrorException.ServiceUnavailable.class)
                .isThrownBy(() -> template.getForObject(server.url(), String.class));
        assertThat(template.getForObject(server.url(), String.class)).isEqualTo("ok");
        assertThat(server.requests()).hasSize(5); // 5 = 3 + 2
    }

    @Test
    void worksForHttpInterfaces() {
        serve(status(503), status(503), answer(200, "found"), status(503));
        Books books = HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client()))
                .build()
                .createClient(Books.class);

        assertThat(books.find()).isEqualTo("found");
        assertThatExceptionOfType(HttpServerErrorException.class).isThrownBy(books::order);
        assertThat(methods()).containsExactly("GET", "GET", "GET", "POST");
    }

    interface Books {

        @GetExchange("/books")
        String find();

        @PostExchange("/orders")
        String order();
    }
}
