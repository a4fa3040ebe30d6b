// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.AttemptTimeoutException;
import dev.retryon.RetryContext;
import dev.retryon.RetryDecider;
import dev.retryon.RetryEngine;
import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import dev.retryon.StopReason;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;

/** What becomes of responses that the caller does not get, and of the last one when a wait is cut short. */
class DiscardedResponseTests {

    private final List<Watched> responses = new ArrayList<>();

    private final List<String> order = new ArrayList<>();

    private ClientHttpResponse send(HttpTrial trial, int... statuses) throws IOException {
        return new RetryClientHttpRequestInterceptor(trial.http)
                .intercept(
                        new MockClientHttpRequest(HttpMethod.GET, URI.create("http://books")),
                        new byte[0],
                        (request, body) -> respond(statuses[responses.size()], "body"));
    }

    private Watched respond(int status, String body) {
        return respond(status, new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)));
    }

    private Watched respond(int status, InputStream body) {
        order.add("attempt");
        Watched response = new Watched(status, body);
        responses.add(response);
        return response;
    }

    private static String text(ClientHttpResponse response) throws IOException {
        return new String(response.getBody().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void areReadAndClosedBeforeTheWait() throws IOException {
        HttpTrial trial = new HttpTrial(
                engine ->
                        engine.time(HttpTrial.sleeping(delay -> order.add("wait, closed " + responses.get(0).closed))),
                http -> http);

        try (ClientHttpResponse response = send(trial, 503, 503, 503)) {
            assertThat(order)
                    .containsExactly("attempt", "wait, closed true", "attempt", "wait, closed true", "attempt");
            assertThat(responses.subList(0, 2)).allSatisfy(discarded -> {
                assertThat(discarded.left()).isZero();
                assertThat(discarded.closed).isTrue();
            });
            assertThat(response).isSameAs(responses.get(2));
            assertThat(responses.get(2).closed).isFalse();
            assertThat(responses.get(2).left()).isEqualTo(4);
        }
    }

    @Test
    void areReadNoFurtherThanALimit() throws IOException {
        HttpTrial trial = new HttpTrial();
        new RetryClientHttpRequestInterceptor(trial.http)
                .intercept(
                        new MockClientHttpRequest(HttpMethod.GET, URI.create("http://books")),
                        new byte[0],
                        (request, body) -> respond(responses.isEmpty() ? 503 : 200, "x".repeat(100_000)));

        assertThat(responses.get(0).left()).isEqualTo(100_000 - 65_537); // 65 537 = 64 · 1024 + 1
        assertThat(responses.get(0).bodyClosed).as("before the response is").isTrue();
    }

    /** The limit of an attempt is shorter than that of the reading, and ends no attempt here. */
    @Test
    @Timeout(60)
    void areReadNoLongerThanALimit() throws IOException {
        HttpTrial trial = new HttpTrial(http -> http.policy(
                HttpTrial.policy().attemptTimeout(Duration.ofMillis(50)).build()));
        Silent body = new Silent();

        ClientHttpResponse response = new RetryClientHttpRequestInterceptor(trial.http)
                .intercept(
                        new MockClientHttpRequest(HttpMethod.GET, URI.create("http://books")),
                        new byte[0],
                        (request, sent) -> responses.isEmpty() ? respond(503, body) : respond(200, "body"));

        assertThat(text(response)).isEqualTo("body");
        assertThat(responses).hasSize(2);
        assertThat(body.closed).succeedsWithin(Duration.ofSeconds(30));
        assertThat(responses.get(0).closedAtAll).succeedsWithin(Duration.ofSeconds(30));
    }

    @Test
    void areNotTouchedIfNothingFollows() throws IOException {
        HttpTrial trial = new HttpTrial(
                http -> http.policy(HttpTrial.policy().retryable(false).build()));

        assertThat(send(trial, 503)).isSameAs(responses.get(0));
        assertThat(responses.get(0).closed).isFalse();
    }

    @Test
    void anErrorAfterAResponseIsThrown() {
        HttpTrial trial = new HttpTrial();
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> new RetryClientHttpRequestInterceptor(trial.http)
                        .intercept(
                                new MockClientHttpRequest(HttpMethod.GET, URI.create("http://books")),
                                new byte[0],
                                (request, body) -> {
                                    if (responses.isEmpty()) {
                                        return respond(503, "body");
                                    }
                                    throw new IOException("down");
                                }))
                .withMessage("down");
        assertThat(responses.get(0).closed).isTrue();
    }

    @Test
    void shutdownDuringAWaitGivesBackWhatWasThere() throws IOException {
        RetryEngine[] engine = new RetryEngine[1];
        HttpTrial trial = closedBy(engine);

        ClientHttpResponse response = send(trial, 503);

        assertThat(response.getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
        assertThat(response.getStatusText()).isEqualTo("Service Unavailable");
        assertThat(response.getHeaders().getFirst("X-Which")).isEqualTo("1");
        assertThat(text(response)).isEqualTo("body");
        assertThat(trial.reason()).isEqualTo(StopReason.SHUTDOWN);
    }

    private static HttpTrial closedBy(RetryEngine[] engine) {
        RetryListener closing = event -> {
            if (event instanceof RetryScheduled) {
                engine[0].close();
            }
        };
        HttpTrial trial = new HttpTrial(settings -> settings.listener(closing), http -> http);
        engine[0] = trial.engine;
        return trial;
    }

    @Test
    void anInterruptDuringAWaitGivesBackWhatWasThere() throws IOException {
        HttpTrial trial = new HttpTrial(
                engine -> engine.time(HttpTrial.sleeping(delay -> {
                    throw new InterruptedException();
                })),
                http -> http);

        ClientHttpResponse response = send(trial, 503);

        assertThat(Thread.interrupted()).as("the flag").isTrue();
        assertThat(text(response)).isEqualTo("body");
        assertThat(trial.reason()).isEqualTo(StopReason.INTERRUPTED);
    }

    @Test
    void aResponseThatComesAfterTheTimeForItIsClosed() {
        UnaryOperator<HttpRetry.Builder> limited = http -> http.policy(HttpTrial.policy()
                .maxAttempts(2)
                .attemptTimeout(Duration.ofMillis(20))
                .build());
        RetryEngine engine =
                RetryEngine.builder().time(HttpTrial.sleeping(delay -> {})).build();
        HttpTrial trial = new HttpTrial(http -> limited.apply(http.engine(engine)));

        assertThatExceptionOfType(AttemptTimeoutException.class)
                .isThrownBy(() -> new RetryClientHttpRequestInterceptor(trial.http)
                        .intercept(
                                new MockClientHttpRequest(HttpMethod.GET, URI.create("http://books")),
                                new byte[0],
                                (request, body) -> {
                                    untilInterrupted();
                                    return respond(200, "late");
                                }));
        assertThat(responses)
                .hasSize(2)
                .allSatisfy(response -> assertThat(response.closedAtAll).succeedsWithin(Duration.ofMinutes(1)));
        engine.close();
    }

    private static void untilInterrupted() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException ex) {
            // Goes on all the same, as some clients do.
            return;
        }
    }

    @Test
    void aDeciderThatFailsIsReportedForNobodySeesTheError() throws IOException {
        List<String> faults = new ArrayList<>();
        HttpTrial trial = new HttpTrial(
                engine -> engine.extensionErrorListener((source, name, sentence, cause) ->
                                faults.add(source + " " + name + ": " + sentence + ": " + cause))
                        .decider(new RetryDecider() {
                            @Override
                            public boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
                                throw new IllegalStateException("no mood");
                            }
                        }),
                http -> http);

        assertThat(send(trial, 503)).isSameAs(responses.get(0));
        assertThat(faults)
                .containsExactly("DECIDER http: the decider " + getClass().getName()
                        + "$1 failed, so the call is not retried: java.lang.IllegalStateException: no mood");
    }

    /** A response that knows what was done with it. */
    private final class Watched extends MockClientHttpResponse {

        private final InputStream body;

        private final CompletableFuture<Void> closedAtAll = new CompletableFuture<>();

        private volatile boolean closed;

        private volatile boolean bodyClosed;

        Watched(int status, InputStream body) {
            super(new byte[0], status);
            getHeaders().add("X-Which", Integer.toString(responses.size() + 1));
            this.body = new FilterInputStream(body) {
                @Override
                public void close() throws IOException {
                    bodyClosed = !closed;
                    super.close();
                }
            };
        }

        int left() {
            try {
                return body.available();
            } catch (IOException ex) {
                throw new AssertionError(ex);
            }
        }

        @Override
        public InputStream getBody() {
            return body;
        }

        @Override
        public void close() {
            closed = true;
            closedAtAll.complete(null);
        }
    }

    /** A body of which no byte arrives before it is closed. Like some clients, it ignores interrupts. */
    private static final class Silent extends InputStream {

        private final CompletableFuture<Void> closed = new CompletableFuture<>();

        @Override
        public int read() throws IOException {
            closed.join();
            throw new IOException("closed");
        }

        @Override
        public void close() {
            closed.complete(null);
        }
    }
}
