// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.ExhaustionAction;
import dev.retryon.Retry;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import dev.retryon.RetryTime;
import dev.retryon.spring.internal.policy.NamedRetries;
import dev.retryon.spring.internal.report.TagValues;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.Show;

class RetryOnEventsEndpointTests {

    private static final AtomicLong MILLIS = new AtomicLong();

    /** Tells another millisecond each time; a real one can be set back meanwhile. */
    private static final InstantSource FORWARD = () -> Instant.ofEpochMilli(MILLIS.incrementAndGet());

    private static final RetryPolicy POLICY = RetryPolicy.builder()
            .retryOn(IOException.class)
            .backoff("none")
            .maxAttempts(2)
            .build();

    @Test
    void tellsTheNewestFirst() {
        RetryOnEventsEndpoint log = endpoint(10, Show.NEVER);
        fail(log, "a", new IOException("down"));
        fail(log, "b", new IOException("down"));
        assertThat(log.events(null, null, true).events())
                .extracting(event -> event.name() + " " + event.type() + " " + event.attempt())
                .containsExactly("b failure 2", "b retry 1", "a failure 2", "a retry 1");
    }

    @Test
    void tellsThatACallWasKept() {
        RetryOnEventsEndpoint log = endpoint(10, Show.NEVER);
        RetryEngine engine =
                RetryEngine.builder().listener(log).deadLetters(call -> {}).build();
        RetryPolicy keeping =
                POLICY.toBuilder().onExhaustion(ExhaustionAction.DEAD_LETTER).build();

        Retry.builder("a", keeping).engine(engine).build().capture(() -> {
            throw new IOException("down");
        });

        assertThat(log.events(null, null, true).events())
                .extracting(event -> event.type() + " " + event.reason())
                .containsExactly("failure exhausted", "dead_letter exhausted", "retry null");
    }

    @Test
    void forgetsTheOldest() {
        RetryOnEventsEndpoint log = endpoint(3, Show.NEVER);
        fail(log, "a", new IOException("down"));
        fail(log, "b", new IOException("down")); // 4 = 2 · 2 events
        assertThat(log.events(null, null, true).events())
                .extracting(event -> event.name() + " " + event.type())
                .containsExactly("b failure", "b retry", "a failure");
    }

    @Test
    void knowsMessagesOnlyIfToldTo() {
        RetryOnEventsEndpoint without = endpoint(3, Show.NEVER);
        fail(without, "a", new IOException("secret"));
        assertThat(without.events(null, null, true).events())
                .extracting(RetryOnEventsEndpoint.Event::message)
                .containsOnlyNulls();
        RetryOnEventsEndpoint with = endpoint(3, Show.ALWAYS);
        fail(with, "a", new IOException("secret"));
        assertThat(with.events(null, null, true).events())
                .extracting(RetryOnEventsEndpoint.Event::message)
                .containsOnly("secret");
    }

    @Test
    void keepsTheBeginningOfLongMessages() {
        RetryOnEventsEndpoint log = endpoint(3, Show.ALWAYS);
        fail(log, "a", new IOException("x".repeat(5000)));
        assertThat(log.events(null, null, true).events())
                .allSatisfy(event -> assertThat(event.message())
                        .hasSize(1001) // 1000 and the ellipsis
                        .endsWith("x…"));
    }

    @Test
    void holdsNothingOfTheCallThatItTellsOf() {
        assertThat(RetryOnEventsEndpoint.Event.class.getRecordComponents())
                .allSatisfy(component -> assertThat(component.getType().getName())
                        .matches("java\\.lang\\.String|int|java\\.time\\.Instant"));
    }

    @Test
    void losesNothingWhenManyThreadsWrite() throws InterruptedException {
        int threads = 8;
        int calls = 500;
        RetryOnEventsEndpoint log = endpoint(threads * calls * 2, Show.NEVER);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        CountDownLatch start = new CountDownLatch(1);
        for (int i = 0; i < threads; i++) {
            String name = "thread " + i;
            executor.execute(() -> {
                await(start);
                for (int call = 0; call < calls; call++) {
                    fail(log, name, new IOException("down"));
                }
            });
        }
        start.countDown();
        executor.shutdown();
        assertThat(executor.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        List<RetryOnEventsEndpoint.Event> events = log.events(null, null, true).events();
        assertThat(events).hasSize(threads * calls * 2); // a retry and a failure each
        for (String name : new HashSet<>(
                events.stream().map(RetryOnEventsEndpoint.Event::name).toList())) {
            assertThat(events.stream().filter(event -> event.name().equals(name)))
                    .isSortedAccordingTo(Comparator.comparing(RetryOnEventsEndpoint.Event::at)
                            .reversed());
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static RetryOnEventsEndpoint endpoint(int capacity, Show showValues) {
        return new RetryOnEventsEndpoint(
                capacity, new NamedRetries(false, new TagValues("name", TagValues.DEFAULT_LIMIT)), showValues);
    }

    private static void fail(RetryOnEventsEndpoint log, String name, IOException error) {
        Retry.builder(name, POLICY)
                .engine(RetryEngine.builder()
                        .listener(log)
                        .time(new RetryTime() {
                            @Override
                            public Instant instant() {
                                return FORWARD.instant();
                            }
                        })
                        .build())
                .build()
                .capture(() -> {
                    throw error;
                });
    }
}
