// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import static dev.retryon.http.ScriptedServer.answer;
import static dev.retryon.http.ScriptedServer.silent;
import static dev.retryon.http.ScriptedServer.status;
import static dev.retryon.http.ScriptedServer.trickling;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryEngine;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpStatus;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Servers that refuse a request and then do not let go of the client. */
@Tag("slow")
@Timeout(60)
class HostileServerTests {

    private static final Duration SOON = Duration.ofMinutes(1);

    private ScriptedServer server = new ScriptedServer();

    private final HttpTrial trial = new HttpTrial();

    @AfterEach
    void stop() {
        server.close();
    }

    private void serve(ScriptedServer.Answer... answers) {
        server.close();
        server = new ScriptedServer(answers);
    }

    private String get(ClientHttpRequestFactory factory) {
        return Clients.of(server, factory, trial).get().retrieve().body(String.class);
    }

    private String get(ClientHttpConnector connector) {
        return Clients.of(server, connector, trial)
                .get()
                .retrieve()
                .bodyToMono(String.class)
                .block(SOON);
    }

    @ParameterizedTest
    @MethodSource("dev.retryon.http.Clients#blocking")
    void aRefusalWhoseBodyNeverComesDoesNotHoldTheCaller(ClientHttpRequestFactory factory) {
        serve(silent(503));
        assertThat(get(factory)).isEqualTo("ok");
    }

    @ParameterizedTest
    @MethodSource("dev.retryon.http.Clients#blocking")
    void aRefusalWhoseBodyTricklesDoesNotHoldTheCaller(ClientHttpRequestFactory factory) {
        serve(trickling(503));
        assertThat(get(factory)).isEqualTo("ok");
    }

    @ParameterizedTest
    @MethodSource("dev.retryon.http.Clients#reactive")
    void aRefusalWhoseBodyNeverComesDoesNotHoldTheConnection(ClientHttpConnector connector) {
        serve(silent(503));
        assertThat(get(connector)).isEqualTo("ok");
    }

    @ParameterizedTest
    @MethodSource("dev.retryon.http.Clients#reactive")
    void aRefusalWhoseBodyTricklesDoesNotHoldTheConnection(ClientHttpConnector connector) {
        serve(trickling(503));
        assertThat(get(connector)).isEqualTo("ok");
    }

    @Test
    void theWaitOfARefusalThatIsStillBeingReadCanBeInterrupted() {
        HttpTrial interrupted = new HttpTrial(
                engine -> engine.listener(event -> Thread.currentThread().interrupt()), http -> http);
        serve(silent(503));

        HttpStatus[] status = new HttpStatus[1];
        Clients.of(server, new JdkClientHttpRequestFactory(), interrupted)
                .get()
                .exchange((request, response) ->
                        status[0] = HttpStatus.resolve(response.getStatusCode().value()));

        assertThat(Thread.interrupted()).as("the flag").isTrue();
        assertThat(status[0]).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
    }

    @Test
    void aSubscriberThatCancelsEndsTheReadingOfARefusal() throws InterruptedException {
        CountDownLatch waiting = new CountDownLatch(1);
        AtomicInteger cancelled = new AtomicInteger();
        try (RetryEngine engine =
                RetryEngine.builder().listener(event -> waiting.countDown()).build()) {
            HttpTrial real = new HttpTrial(http -> http.engine(engine)
                    .policy(HttpTrial.policy()
                            .delay(Duration.ofHours(1))
                            .maxDelay(Duration.ofHours(1))
                            .build()));
            Disposable call = WebClient.builder()
                    .baseUrl(server.url())
                    .filter(new RetryExchangeFilterFunction(real.http))
                    .exchangeFunction(request -> Mono.just(ClientResponse.create(HttpStatus.SERVICE_UNAVAILABLE)
                            .body(Flux.<DataBuffer>never().doOnCancel(cancelled::incrementAndGet))
                            .build()))
                    .build()
                    .get()
                    .retrieve()
                    .toBodilessEntity()
                    .subscribe();
            assertThat(waiting.await(1, TimeUnit.MINUTES)).isTrue();

            call.dispose();

            assertThat(cancelled).hasValue(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-1",
                "1e9",
                "0x10",
                " ",
                ",",
                "99999999999999999999999999",
                "Wed, 99 Foo 2026 99:99:99 GMT",
                "\u0661",
                "Infinity",
                "NaN",
                "1,2,3",
                "9223372036854775807"
            })
    void noWaitThatAServerAsksForBreaksTheCall(String wait) {
        serve(answer(503, "", "Retry-After", wait.replace('\u0661', '\u00e9'), "Date", "yesterday"), status(200));

        int seen = Clients.of(server, new JdkClientHttpRequestFactory(), trial)
                .get()
                .exchange((request, response) -> response.getStatusCode().value());

        // A number however large is a wait that is too long; what can't be read counts as absent.
        assertThat(seen).isEqualTo(wait.matches("[0-9]{5,}") ? 503 : 200);
        assertThat(trial.waits()).allSatisfy(waited -> assertThat(waited).isEqualTo(Duration.ofSeconds(1)));
    }
}
