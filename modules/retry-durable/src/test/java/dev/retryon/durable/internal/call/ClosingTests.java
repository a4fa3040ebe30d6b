// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.tuple;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.internal.call.Journal.Event;
import dev.retryon.durable.internal.call.Journal.Line;
import dev.retryon.durable.internal.store.TestPostgres;
import dev.retryon.spring.module.ExtensionErrors;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications that are closed while they make durable calls. */
@Tag("database")
class ClosingTests {

    private static final int CALLS = 500;

    private static final int CALLERS = 3;

    private static final String SCHEMA = "retryon.jdbc.initialize-schema=always";

    @TempDir
    private Path folder;

    private ApplicationContextRunner application(String process, Runnable gate) {
        return DurableTrial.embedded(folder)
                .withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class))
                .withBean(Orders.class, () -> new Orders(journal(process), gate));
    }

    private Journal journal(String process) {
        return new Journal(folder.resolve("journal"), process);
    }

    @Test
    void nothingIsLostAndNothingMadeTwice() {
        long[] closing = new long[1];
        application("first", () -> {}).run(context -> {
            Orders orders = context.getBean(Orders.class);
            for (int i = 0; i < CALLS; i++) {
                orders.place(Orders.order(2, "number" + i));
            }
            closing[0] = System.nanoTime();
        });
        Duration closed = Duration.ofNanos(System.nanoTime() - closing[0]);

        application("second", () -> {}).run(context -> {
            await().until(() -> DurableTrial.stored(context) == 0);
            System.out.println("Closed in " + closed + ", with "
                    + journal("").lines(Event.EFFECT).stream()
                            .filter(line -> line.process().equals("second"))
                            .count()
                    + " of " + CALLS + " calls to make");
            assertThat(journal("").lines(Event.EFFECT))
                    .extracting(Line::order)
                    .hasSize(CALLS)
                    .doesNotHaveDuplicates();
            assertThat(journal("").lines(Event.ATTEMPT)).hasSize(2 * CALLS);
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
        });
        // Spring's default for a phase is 30 s.
        assertThat(closed).isLessThan(Duration.ofSeconds(30));
    }

    @Test
    void anAttemptThatDoesNotEndIsInterruptedAndMadeLater() {
        long[] closing = new long[1];
        Journal journal = journal("");
        application("first", () -> {
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException ex) {
                        Thread.currentThread().interrupt();
                        throw new IllegalStateException(ex);
                    }
                })
                .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=2s")
                .run(context -> {
                    context.getBean(Orders.class).place(Orders.order(1, "warm"));
                    try {
                        context.getBean(Orders.class).placeLong("long");
                    } finally {
                        await().until(() -> journal.lines(Event.ATTEMPT).size() == 3);
                        closing[0] = System.nanoTime();
                    }
                });
        // 1 s until the attempt is interrupted; the rest is for busy machines.
        assertThat(Duration.ofNanos(System.nanoTime() - closing[0])).isLessThan(Duration.ofSeconds(15));

        application("second", () -> {}).run(context -> {
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(journal.lines(Event.HOLDS)).extracting(Line::process).containsExactly("second");
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
        });
    }

    /**
     * Calls that others begin while the application is closed: each is stored, or its caller gets the error. Where the connection
     * breaks under a statement that the database has received, its caller gets an error, and the call might be stored.
     */
    @Test
    void noCallerIsLeftInDoubt() throws Exception {
        Journal journal = journal("first");
        String url = "spring.datasource.url=" + TestPostgres.database();
        // Who waits for a connection is not told that the pool is closed.
        String patience = "spring.datasource.hikari.connection-timeout=500";
        String heartbeat = "retryon.durable.heartbeat-interval=2s";
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        AtomicInteger refused = new AtomicInteger();
        Set<String> unanswered = ConcurrentHashMap.newKeySet();
        onPostgres("first", url, () -> {})
                .withPropertyValues(SCHEMA, patience, heartbeat)
                .run(context -> {
                    Orders orders = context.getBean(Orders.class);
                    for (int caller = 0; caller < CALLERS; caller++) {
                        String name = "caller" + caller;
                        callers.execute(() -> {
                            // Some calls more when it is closed.
                            for (int i = 0, errors = 0; errors < 10; i++) {
                                String order = Orders.order(2, name + "-" + i);
                                Throwable error = catchThrowable(() -> orders.place(order));
                                if (error == null) {
                                    journal.write(Event.ACCEPTED, order);
                                } else {
                                    journal.write(Event.REFUSED, order);
                                    assertThat(error)
                                            .isInstanceOf(IOException.class)
                                            .hasMessage("down 1");
                                    refused.incrementAndGet();
                                    errors++;
                                    if (Arrays.stream(error.getSuppressed())
                                            .anyMatch(storing -> storing.getCause() instanceof SQLException broken
                                                    && "08006".equals(broken.getSQLState()))) {
                                        unanswered.add(order);
                                    }
                                }
                            }
                        });
                    }
                    await().until(() -> journal.lines(Event.ACCEPTED).size() > 100);
                });
        callers.shutdown();
        assertThat(callers.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        assertThat(refused).hasValue(CALLERS * 10);

        onPostgres("second", url, () -> {}).withPropertyValues(heartbeat).run(context -> {
            await().until(() -> DurableTrial.stored(context) == 0);
            List<String> made =
                    journal.lines(Event.EFFECT).stream().map(Line::order).toList();
            assertThat(made).doesNotHaveDuplicates();
            assertThat(made.stream().filter(order -> !unanswered.contains(order)))
                    .containsExactlyInAnyOrderElementsOf(journal.lines(Event.ACCEPTED).stream()
                            .map(Line::order)
                            .toList());
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
        });
    }

    /** What came of an attempt can't be written; the application ends all the same, and another one makes the attempt. */
    @Test
    void aDatabaseThatIsAwayHoldsNothingUp() {
        String url = "spring.datasource.url=" + TestPostgres.database();
        CountDownLatch gate = new CountDownLatch(1);
        AtomicReference<Thread> worker = new AtomicReference<>();
        long[] closing = new long[1];
        onPostgres("first", url, () -> {
                    worker.set(Thread.currentThread());
                    try {
                        assertThat(gate.await(1, TimeUnit.MINUTES)).isTrue();
                    } catch (InterruptedException ex) {
                        throw new IllegalStateException(ex);
                    }
                })
                .withPropertyValues(
                        SCHEMA,
                        "spring.datasource.hikari.maximum-pool-size=3",
                        "spring.datasource.hikari.connection-timeout=500",
                        "spring.lifecycle.timeout-per-shutdown-phase=2s")
                .run(context -> {
                    context.getBean(Orders.class).placeLong("long");
                    await().until(() -> journal("").lines(Event.ATTEMPT).size() == 2);
                    DataSource pool = context.getBean(DataSource.class);
                    for (int taken = 0; taken < 3; ) {
                        try {
                            pool.getConnection();
                            taken++;
                        } catch (SQLException ex) {
                            continue; // the engine has it for a moment
                        }
                    }
                    gate.countDown();
                    ExtensionErrors errors = context.getBean(ExtensionErrors.class);
                    await().until(() -> errors.count(ExtensionErrorListener.Kind.STORE, "Orders.placeLong") == 1);
                    closing[0] = System.nanoTime();
                });
        assertThat(Duration.ofNanos(System.nanoTime() - closing[0])).isLessThan(Duration.ofSeconds(15));
        await().until(() -> !worker.get().isAlive());

        onPostgres("second", url, () -> {}).run(context -> {
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(journal("").lines(Event.HOLDS))
                    .extracting(Line::process, Line::attempt)
                    .containsExactly(tuple("first", 2), tuple("second", 3));
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
        });
    }

    private ApplicationContextRunner onPostgres(String process, String url, Runnable gate) {
        return DurableTrial.inMemory()
                .withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class))
                .withPropertyValues(url, "retryon.durable.heartbeat-interval=250ms")
                .withBean(Orders.class, () -> new Orders(journal(process), gate));
    }
}
