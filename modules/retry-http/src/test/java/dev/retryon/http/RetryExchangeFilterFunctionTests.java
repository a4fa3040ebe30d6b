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
import dev.retryon.RetryEngine;
import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import dev.retryon.StopReason;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The filter for reactive clients, over both of Spring's usual connectors. */
class RetryExchangeFilterFunctionTests {

    private static final Duration SOON = Duration.ofMinutes(1);

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

    private WebClient client(ClientHttpConnector connector, HttpTrial of) {
        return Clients.of(server, connector, of);
    }

    private WebClient client() {
        return client(new JdkClientHttpConnector(), trial);
    }

    private static String get(WebClient client) {
        return client.get().retrieve().bodyToMono(String.class).block(SOON);
    }

    @ParameterizedTest
    @MethodSource("dev.retryon.http.Clients#reactive")
    void retriesStatusesUntilOneIsAnAnswer(ClientHttpConnector connector) {
        serve(status(503), status(503, "Retry-After", "7"));

        assertThat(get(client(connector, trial))).isEqualTo("ok");

        assertThat(server.requests()).hasSize(3);
        assertThat(trial.waits()).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(7));
        assertThat(trial.events()).allSatisfy(event -> assertThat(event.name()).isEqualTo("http catalogue"));
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

        Integer seen = client().get()
                .exchangeToMono(response ->
                        response.releaseBody().thenReturn(response.statusCode().value()))
                .block(SOON);

        assertThat(seen).isEqualTo(status);
        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void retriesAnswersThatTakeTooLong() {
        CountDownLatch over = new CountDownLatch(1);
        serve(exchange -> over.await());
        JdkClientHttpConnector impatient = new JdkClientHttpConnector();
        impatient.setReadTimeout(Duration.ofMillis(200));
        JdkClientHttpConnector patient = new JdkClientHttpConnector();
        AtomicInteger connections = new AtomicInteger();
        // Only the first attempt is short of time: no other has to be answered within some.
        ClientHttpConnector connector = (method, uri, callback) -> {
            if (connections.incrementAndGet() == 1) {
                return impatient.connect(method, uri, callback);
            }
            over.countDown();
            return patient.connect(method, uri, callback);
        };

        assertThat(get(client(connector, trial))).isEqualTo("ok");
        assertThat(connections).hasValue(2);
    }

    @ParameterizedTest
    @MethodSource("dev.retryon.http.Clients#reactive")
    void theLastResponseIsHandledAsIfNothingHadHappened(ClientHttpConnector connector) {
        serve(answer(503, "first"), answer(502, "second"), answer(503, "third"));

        assertThatExceptionOfType(WebClientResponseException.ServiceUnavailable.class)
                .isThrownBy(() -> get(client(connector, trial)))
                .satisfies(error -> assertThat(error.getResponseBodyAsString()).isEqualTo("third"));
        assertThat(trial.reason()).isEqualTo(StopReason.EXHAUSTED);
    }

    @ParameterizedTest
    @MethodSource("dev.retryon.http.Clients#reactive")
    void discardedResponsesGiveTheirConnectionsBack(ClientHttpConnector connector) {
        serve(status(503), breakOff(503), endless(503), answer(503, ""));
        HttpTrial patient = new HttpTrial(
                http -> http.policy(HttpTrial.policy().maxAttempts(10).build()));

        assertThat(get(client(connector, patient))).isEqualTo("ok");
        assertThat(server.requests()).hasSize(5);
    }

    @ParameterizedTest
    @MethodSource("dev.retryon.http.Clients#reactive")
    void retriesConnectionsThatAreClosedWithoutAnAnswer(ClientHttpConnector connector) {
        serve(hangUp(), status(503));

        // Not GET: clients send that again by themselves.
        String answer = client(connector, trial)
                .post()
                .header("Idempotency-Key", "k1")
                .bodyValue("a book, please")
                .retrieve()
                .bodyToMono(String.class)
                .block(SOON);

        assertThat(answer).isEqualTo("ok");
        assertThat(server.requests())
                .hasSizeGreaterThanOrEqualTo(3)
                .allSatisfy(request -> assertThat(request.body()).isEqualTo("a book, please"));
    }

    @Test
    void retriesConnectionsThatAreRefused() throws IOException {
        try (RefusedAddress nobody = new RefusedAddress()) {
            WebClient client = client().mutate().baseUrl(nobody.url()).build();

            assertThatExceptionOfType(WebClientRequestException.class).isThrownBy(() -> get(client));
        }
        assertThat(trial.attempts()).isEqualTo(3);
    }

    @Test
    void leavesRequestsThatAreNotIdempotentAlone() {
        serve(status(503));

        assertThatExceptionOfType(WebClientResponseException.class)
                .isThrownBy(() -> client().post()
                        .bodyValue("a")
                        .retrieve()
                        .toBodilessEntity()
                        .block(SOON));
        assertThat(server.requests()).hasSize(1);
        assertThat(trial.events()).isEmpty();
    }

    @Test
    void aGeneratedKeyIsTheSameInEachAttempt() {
        serve(status(503), status(503));
        HttpTrial generating = new HttpTrial(http -> http.generateIdempotencyKey(true));

        client(new JdkClientHttpConnector(), generating)
                .post()
                .bodyValue("a book")
                .retrieve()
                .toBodilessEntity()
                .block(SOON);

        String callId = generating.events().get(0).callId();
        assertThat(server.requests())
                .extracting(request -> request.header("Idempotency-Key"))
                .containsExactly(callId, callId, callId);
    }

    @Test
    void aBodyFromAPublisherIsSubscribedToAgain() {
        serve(status(503));

        client().put()
                .body(Flux.just("a ", "book"), String.class)
                .retrieve()
                .toBodilessEntity()
                .block(SOON);

        assertThat(server.requests()).extracting(ScriptedServer.Request::body).containsExactly("a book", "a book");
    }

    @Test
    void doesNotWaitLongerThanThePolicyAllows() {
        serve(status(429, "Retry-After", "99999999999999999999"));

        assertThatExceptionOfType(WebClientResponseException.TooManyRequests.class)
                .isThrownBy(() -> get(client()))
                .satisfies(error -> assertThat(error.getResponseBodyAsString()).isEqualTo("status 429"));
        assertThat(trial.reason()).isEqualTo(StopReason.DELAY_TOO_LONG);
    }

    @Test
    void filtersInsideRunOnceAnAttemptAndKnowIt() {
        List<String> seen = new CopyOnWriteArrayList<>();
        serve(status(503));

        String answer = client().mutate()
                .filter((request, next) -> {
                    int attempt = RetryContext.current().attempt();
                    return Mono.deferContextual(view -> {
                        seen.add(attempt + " = " + view.get(RetryContext.class).attempt() + ", " + view.get("who"));
                        return next.exchange(request);
                    });
                })
                .build()
                .get()
                .retrieve()
                .bodyToMono(String.class)
                .contextWrite(context -> context.put("who", "me"))
                .block(SOON);

        assertThat(answer).isEqualTo("ok");
        assertThat(seen).containsExactly("1 = 1, me", "2 = 2, me");
    }

    @Test
    void cancellingEndsTheWait() throws InterruptedException {
        CountDownLatch waiting = new CountDownLatch(1);
        CountDownLatch failed = new CountDownLatch(1);
        RetryListener listener = event -> (event instanceof RetryScheduled ? waiting : failed).countDown();
        try (RetryEngine engine = RetryEngine.builder().listener(listener).build()) {
            serve(status(503, "Retry-After", "200"));
            HttpTrial real = new HttpTrial(http -> http.engine(engine));

            Disposable call = client(new JdkClientHttpConnector(), real)
                    .get()
                    .retrieve()
                    .bodyToMono(String.class)
                    .subscribe();
            assertThat(waiting.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(failed.getCount()).isEqualTo(1);
            call.dispose();

            assertThat(failed.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Test
    void cancellingEndsTheAttemptInFlight() {
        CompletableFuture<Void> cancelled = new CompletableFuture<>();
        CompletableFuture<Void> begun = new CompletableFuture<>();
        WebClient client = client().mutate()
                .filter((request, next) -> Mono.<ClientResponse>never()
                        .doOnSubscribe(subscription -> begun.complete(null))
                        .doOnCancel(() -> cancelled.complete(null)))
                .build();

        Disposable call = client.get().retrieve().toBodilessEntity().subscribe();
        assertThat(begun).succeedsWithin(SOON);
        call.dispose();

        assertThat(cancelled).succeedsWithin(SOON);
    }

    @Test
    void noThreadIsHeldWhileWaiting() {
        try (RetryEngine engine = RetryEngine.builder().build()) {
            serve(status(503, "Retry-After", "1"));
            HttpTrial real = new HttpTrial(http -> http.engine(engine));

            String answer = client(new JdkClientHttpConnector(), real)
                    .get()
                    .retrieve()
                    .bodyToMono(String.class)
                    // A thread that may not block: it would be told so.
                    .subscribeOn(Schedulers.parallel())
                    .block(SOON);

            assertThat(answer).isEqualTo("ok");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.retryon.http.Clients#reactive")
    void shutdownDuringAWaitGivesBackWhatWasThere(ClientHttpConnector connector) {
        RetryEngine[] engine = new RetryEngine[1];
        RetryListener closing = event -> {
            if (event instanceof RetryScheduled) {
                engine[0].close();
            }
        };
        engine[0] = RetryEngine.builder().listener(closing).build();
        serve(answer(503, "closed for today"));
        HttpTrial real = new HttpTrial(http -> http.engine(engine[0]));

        assertThatExceptionOfType(WebClientResponseException.ServiceUnavailable.class)
                .isThrownBy(() -> get(client(connector, real)))
                .satisfies(error -> assertThat(error.getResponseBodyAsString()).isEqualTo("closed for today"));
    }

    @Test
    void worksForHttpInterfaces() {
        serve(status(503));
        Books books = HttpServiceProxyFactory.builderFor(WebClientAdapter.create(client()))
                .build()
                .createClient(Books.class);

        assertThat(books.find().block(SOON)).isEqualTo("ok");
        assertThat(server.requests()).hasSize(2);
    }

    interface Books {

        @GetExchange("/books")
        Mono<String> find();
    }
}
