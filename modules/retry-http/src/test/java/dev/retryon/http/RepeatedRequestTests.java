// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import static dev.retryon.http.ScriptedServer.answer;
import static dev.retryon.http.ScriptedServer.hangUp;
import static dev.retryon.http.ScriptedServer.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.RetryEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

/** Which requests may be sent more than once, and with what body. */
class RepeatedRequestTests {

    private final HttpTrial trial = new HttpTrial();

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
        return RestClient.builder()
                .baseUrl(server.url())
                .requestFactory(new JdkClientHttpRequestFactory())
                .requestInterceptor(new RetryClientHttpRequestInterceptor(of.http))
                .build();
    }

    private List<String> methods() {
        return server.requests().stream().map(ScriptedServer.Request::method).toList();
    }

    @Test
    void leavesRequestsThatAreNotIdempotentAlone() throws IOException {
        serve(status(503));
        RestClient client = client();

        assertThatExceptionOfType(HttpServerErrorException.ServiceUnavailable.class)
                .isThrownBy(() -> client.post().body("book").retrieve().toBodilessEntity());
        try (RefusedAddress nobody = new RefusedAddress()) {
            RestClient refused = client.mutate().baseUrl(nobody.url()).build();
            assertThatExceptionOfType(ResourceAccessException.class)
                    .isThrownBy(() -> refused.patch().body("book").retrieve().toBodilessEntity());
        }

        assertThat(methods()).containsExactly("POST");
        assertThat(trial.events()).isEmpty();
    }

    @Test
    void anIdempotencyKeyMakesAnyRequestOneToRetry() {
        serve(status(503), hangUp());

        String answer = client().post()
                .header("idempotency-key", "k1")
                .body("a book, please")
                .retrieve()
                .body(String.class);

        assertThat(answer).isEqualTo("ok");
        assertThat(server.requests()).hasSize(3).allSatisfy(request -> {
            assertThat(request.method()).isEqualTo("POST");
            assertThat(request.body()).isEqualTo("a book, please");
            assertThat(request.headers().get("Idempotency-key")).containsExactly("k1");
            assertThat(request.headers().get("Content-length")).containsExactly("14");
        });
    }

    @Test
    void theIdempotencyKeyMayHaveAnotherNameOrNone() {
        HttpTrial named = new HttpTrial(http -> http.idempotencyKeyHeader("X-Request-Id"));
        HttpTrial without = new HttpTrial(http -> http.idempotencyKeyHeader(" "));
        serve(status(503));

        assertThat(client(named)
                        .post()
                        .header("X-Request-Id", "1")
                        .body("a")
                        .retrieve()
                        .body(String.class))
                .isEqualTo("ok");
        serve(status(503));
        assertThatExceptionOfType(HttpServerErrorException.class)
                .isThrownBy(() -> client(without)
                        .post()
                        .header("Idempotency-Key", "1")
                        .body("a")
                        .retrieve()
                        .toBodilessEntity());
    }

    @Test
    void aGeneratedKeyIsTheSameInEachAttemptOfACall() {
        HttpTrial generating = new HttpTrial(http -> http.generateIdempotencyKey(true));
        serve(status(503), hangUp(), answer(200, "ok"), status(503));

        client(generating).post().body("a book").retrieve().toBodilessEntity();
        client(generating).patch().body("a book").retrieve().toBodilessEntity();

        List<String> keys = server.requests().stream()
                .map(request -> request.header("Idempotency-Key"))
                .toList();
        assertThat(keys).hasSize(5).doesNotContainNull();
        assertThat(Set.copyOf(keys.subList(0, 3))).hasSize(1);
        assertThat(Set.copyOf(keys.subList(3, 5))).hasSize(1);
        assertThat(Set.copyOf(keys)).hasSize(2);
        assertThat(generating.events()).extracting(RetryEvent::callId).containsAll(keys);
    }

    @Test
    void aKeyOfTheCallerIsLeftAndNoOtherRequestGetsOne() {
        HttpTrial generating = new HttpTrial(http -> http.generateIdempotencyKey(true));
        HttpTrial withoutHeader =
                new HttpTrial(http -> http.generateIdempotencyKey(true).idempotencyKeyHeader(""));
        serve(status(503), answer(200, "ok"), status(503), answer(200, "ok"), status(503));

        client(generating)
                .post()
                .header("idempotency-key", "mine")
                .body("a")
                .retrieve()
                .toBodilessEntity();
        client(generating).get().retrieve().toBodilessEntity();
        assertThatExceptionOfType(HttpServerErrorException.class)
                .isThrownBy(
                        () -> client(withoutHeader).post().body("a").retrieve().toBodilessEntity());

        assertThat(methods()).containsExactly("POST", "POST", "GET", "GET", "POST");
        assertThat(server.requests())
                .extracting(request -> request.header("Idempotency-Key"))
                .containsExactly("mine", "mine", null, null, null);
    }

    @Test
    void aBodyThatIsStreamedIsSentAgain() {
        serve(status(503), status(503));

        client().put()
                .body(out -> {
                    for (int i = 0; i < 1_000; i++) {
                        out.write("0123456789".getBytes(StandardCharsets.US_ASCII));
                    }
                })
                .retrieve()
                .toBodilessEntity();

        assertThat(server.requests())
                .hasSize(3)
                .allSatisfy(request -> assertThat(request.body()).hasSize(10_000));
    }
}
