// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.Jitter;
import dev.retryon.test.RecordedRetries;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/** What the guide to plain Java shows, word for word: {@link PlainJavaGuideTests} compares the two. */
class PlainJavaExampleTests {

    private final List<String> fetched = new ArrayList<>();

    private final Catalogue catalogue = name -> {
        fetched.add(name);
        return "page " + fetched.size();
    };

    private interface Catalogue {
        String fetch(String name) throws IOException;
    }

    @Test
    void theGuideDoesWhatItSays() throws IOException {
        RetryPolicy policy = RetryPolicy.builder()
                .retryOn(IOException.class)
                .excludes(FileNotFoundException.class)
                .maxAttempts(5)
                .backoff(Backoff.exponential(2.0))
                .delay(Duration.ofMillis(200))
                .maxDelay(Duration.ofSeconds(30))
                .jitter(Jitter.full())
                .timeout(Duration.ofMinutes(1))
                .build();

        Retry retry = Retry.of("catalogue", policy);
        String page = retry.call(() -> catalogue.fetch("index"));

        assertThat(page).isEqualTo("page 1");
        assertThat(policy.schedule(4)).hasToString("[0s–200ms, 0s–400ms, 0s–800ms, 0s–1600ms]");

        RetryResult<String> result = retry.capture(() -> catalogue.fetch("index"));
        if (result.succeeded()) {
            page = result.value();
        } else {
            System.err.println(result.attempts() + " attempts, " + result.stopReason() + ": " + result.error());
        }

        assertThat(page).isEqualTo("page 2");

        page = retry.callOrRecover(() -> catalogue.fetch("index"), (error, context) -> "sold out");

        assertThat(page).isEqualTo("page 3");

        page = retry.call(() -> {
            RetryContext attempt = RetryContext.current();
            return catalogue.fetch("index?key=" + attempt.callId() + (attempt.isLastAttempt() ? "&cached" : ""));
        });

        assertThat(page).isEqualTo("page 4");
        assertThat(fetched.get(3)).startsWith("index?key=").doesNotContain("cached");

        Retry authorized = Retry.builder("catalogue", policy)
                .beforeRetry((subject, context) -> catalogue.fetch("login"))
                .build();

        assertThat(authorized.call(() -> "no retry")).isEqualTo("no retry");
        assertThat(fetched).hasSize(4);

        LongAdder retries = new LongAdder();
        RetryListener listener = event -> {
            if (event instanceof RetryScheduled) {
                retries.increment();
            } else {
                System.out.println(event);
            }
        };
        RetryDecider patience = new RetryDecider() {
            @Override
            public boolean shouldRetry(RetryContext context, Throwable error) {
                // If no server listens, two retries are enough.
                return !(error instanceof ConnectException) || context.attempt() < 3;
            }
        };

        try (RetryEngine engine =
                RetryEngine.builder().listener(listener).decider(patience).build()) {
            Retry observed = Retry.builder("catalogue", policy).engine(engine).build();
            page = observed.call(() -> catalogue.fetch("index"));
        }

        assertThat(page).isEqualTo("page 5");

        Path failedCalls = Files.createTempFile("failed-calls", ".txt");
        DeadLetterQueue queue = call -> Files.writeString(
                failedCalls,
                call.state().callId() + " " + call.name() + ": " + call.error() + "\n",
                StandardOpenOption.APPEND);

        Retry stored = Retry.builder(
                        "catalogue",
                        policy.toBuilder()
                                .onExhaustion(ExhaustionAction.DEAD_LETTER)
                                .build())
                .engine(RetryEngine.builder().deadLetters(queue).build())
                .build();

        assertThatExceptionOfType(FileNotFoundException.class)
                .isThrownBy(() -> stored.call(() -> {
                    throw new FileNotFoundException("index");
                }));
        assertThat(failedCalls).content().endsWith(" catalogue: java.io.FileNotFoundException: index\n");
        Files.delete(failedCalls);

        RecordedRetries recorded = RecordedRetries.create();
        Retry unreliable = Retry.builder("catalogue", policy)
                .engine(recorded.engine().decider(patience).build())
                .build();

        unreliable.capture(() -> {
            throw new ConnectException("refused");
        });

        assertThat(recorded).of("catalogue").attempted(3).failed(StopReason.REJECTED);

        AtomicLong now = new AtomicLong();
        List<Duration> waits = new ArrayList<>();
        RetryEngine virtual = RetryEngine.builder()
                .time(new RetryTime() {
                    @Override
                    public long nanoTime() {
                        return now.get();
                    }

                    @Override
                    public void sleep(Duration delay) {
                        waits.add(delay);
                        now.addAndGet(delay.toNanos());
                    }
                })
                .random(() -> -1L) // jitter gives the longest delay; () -> 0L would give the shortest
                .listener(listener)
                .decider(patience)
                .build();

        RetryResult<String> refused = Retry.builder("catalogue", policy)
                .engine(virtual)
                .build()
                .capture(() -> {
                    throw new ConnectException("refused");
                });

        assertThat(refused.attempts()).isEqualTo(3);
        assertThat(refused.stopReason()).isEqualTo(StopReason.REJECTED);
        assertThat(waits).containsExactly(Duration.ofMillis(200), Duration.ofMillis(400));
        assertThat(refused.elapsed()).isEqualTo(Duration.ofMillis(600));
        assertThat(retries.sum()).isEqualTo(2);
    }
}
