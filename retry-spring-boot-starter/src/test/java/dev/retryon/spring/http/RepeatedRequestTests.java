/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.http;

import static dev.retryon.spring.http.ScriptedServer.hangUp;
import static dev.retryon.spring.http.ScriptedServer.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
