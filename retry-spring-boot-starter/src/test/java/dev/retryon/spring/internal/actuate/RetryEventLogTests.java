// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.retryon.ExhaustionAction;
import dev.retryon.Retry;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import dev.retryon.RetryTime;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetryEventLogTests {

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
        RetryEventLog log = new RetryEventLog(10, false);
        fail(log, "a", new IOException("down"));
        fail(log, "b", new IOException("down"));
        assertThat(log.newestFirst())
                .extracting(event -> event.name() + " " + event.type() + " " + event.attempt())
                .containsExactly("b failure 2", "b retry 1", "a failure 2", "a retry 1");
    }

    @Test
    void tellsThatACallWasKept() {
        RetryEventLog log = new RetryEventLog(10, false);
        RetryEngine engine =
                RetryEngine.builder().listener(log).deadLetters(call -> {}).build();
        RetryPolicy keeping =
                POLICY.toBuilder().onExhaustion(ExhaustionAction.DEAD_LETTER).build();

        Retry.builder("a", keeping).engine(engine).build().capture(() -> {
            throw new IOException("down");
        });

        assertThat(log.newestFirst())
                .extracting(event -> event.type() + " " + event.reason())
                .containsExactly("failure exhausted", "dead_letter exhausted", "retry null");
    }

    @Test
    void forgetsTheOldest() {
        RetryEventLog log = new RetryEventLog(3, false);
        fail(log, "a", new IOException("down"));
        fail(log, "b", new IOException("down")); // 4 = 2 · 2 events
        assertThat(log.newestFirst())
                .extracting(event -> event.name() + " " + event.type())
                .containsExactly("b failure", "b retry", "a failure");
    }

    @Test
    void knowsMessagesOnlyIfToldTo() {
        RetryEventLog without = new RetryEventLog(3, false);
        fail(without, "a", new IOException("secret"));
        assertThat(without.newestFirst())
                .extracting(RetryOnEventsEndpoint.Event::message)
                .containsOnlyNulls();
        RetryEventLog with = new RetryEventLog(3, true);
        fail(with, "a", new IOException("secret"));
        assertThat(with.newestFirst())
                .extracting(RetryOnEventsEndpoint.Event::message)
                .containsOnly("secret");
    }

    @Test
    void keepsTheBeginningOfLongMessages() {
        RetryEventLog log = new RetryEventLog(3, true);
        fail(log, "a", new IOException("x".repeat(5000)));
        assertThat(log.newestFirst())
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

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, RetryOnEventsEndpoint.MAX_CAPACITY + 1})
    void refusesCapacitiesThatMakeNoSense(int capacity) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RetryEventLog(capacity, false))
                .withMessage("is '" + capacity + "', but must be between 1 and 100000");
    }

    @Test
    void losesNothingWhenManyThreadsWrite() throws InterruptedException {
        int threads = 8;
        int calls = 500;
        RetryEventLog log = new RetryEventLog(threads * calls * 2, false);
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
        List<RetryOnEventsEndpoint.Event> events = log.newestFirst();
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

    private static void fail(RetryEventLog log, String name, IOException error) {
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
