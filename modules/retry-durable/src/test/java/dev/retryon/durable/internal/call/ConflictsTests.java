// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.RetryContext;
import dev.retryon.durable.Durable;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.durable.internal.store.TestPostgres;
import dev.retryon.durable.internal.store.TestServer;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.module.ExtensionErrors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** Databases that refuse transactions because of concurrent ones. */
@Tag("database")
class ConflictsTests {

    private static final int THREADS = 8;

    private static final int CALLS = 150;

    private static ApplicationContextRunner serializable() {
        return DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=" + TestPostgres.database(),
                        "spring.datasource.hikari.transaction-isolation=TRANSACTION_SERIALIZABLE",
                        "spring.datasource.hikari.maximum-pool-size=10",
                        "retryon.jdbc.initialize-schema=always")
                .withBean(Mails.class);
    }

    /** Calls from several threads; returns the errors that callers got. */
    private static List<Throwable> callAll(ApplicationContext context, BiConsumer<Mails, String> call)
            throws Exception {
        Mails mails = context.getBean(Mails.class);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<Throwable>> calls = new ArrayList<>();
            for (int i = 0; i < THREADS * CALLS; i++) {
                String id = "call " + i;
                calls.add(threads.submit(() -> catchThrowable(() -> call.accept(mails, id))));
            }
            List<Throwable> errors = new ArrayList<>();
            for (Future<Throwable> each : calls) {
                errors.add(each.get(120, TimeUnit.SECONDS));
            }
            return errors.stream().filter(Objects::nonNull).toList();
        } finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noCallIsRefusedWhereTransactionsAreSerializable(boolean isOutbox) {
        serializable().run(context -> {
            List<Throwable> errors = callAll(context, isOutbox ? Mails::send : Mails::sendLater);

            assertThat(errors).isEmpty();
        });
    }

    @Test
    void aSerializableWriteThatLosesIsRepeated() {
        serializable().withPropertyValues("retryon.jdbc.own-connections=0").run(context -> {
            RetryStore store = DurableTrial.store(context);
            JdbcTemplate jdbc = store.template();
            jdbc.execute("create table single_row (id int primary key, changes int)");
            jdbc.execute("insert into single_row values (1, 0)");
            AtomicInteger attempts = new AtomicInteger();
            ExecutorService other = Executors.newSingleThreadExecutor();

            store.write(() -> {
                JdbcTemplate within = store.template();
                within.queryForObject("select changes from single_row", Integer.class);
                if (attempts.incrementAndGet() == 1) {
                    change(other, store);
                }
                return within.update("update single_row set changes = changes + 1");
            });

            other.shutdown();
            assertThat(attempts).hasValue(2);
            assertThat(jdbc.queryForObject("select changes from single_row", Integer.class))
                    .isEqualTo(2);
        });
    }

    /** Changes the row in a transaction that commits before the one that has read it writes. */
    private static void change(ExecutorService other, RetryStore store) {
        try {
            other.submit(() ->
                            store.write(() -> store.template().update("update single_row set changes = changes + 1")))
                    .get(30, TimeUnit.SECONDS);
        } catch (Exception ex) {
            throw new AssertionError(ex);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aWriteThatLosesADeadlockIsRepeatedAndCounted(TestServer server) {
        DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=" + server.database(), "retryon.jdbc.initialize-schema=always")
                .withBean(Mails.class)
                .run(context -> {
                    RetryStore store = DurableTrial.store(context);
                    JdbcTemplate jdbc = store.template();
                    jdbc.execute("create table pair (id int primary key, changes int)");
                    jdbc.execute("insert into pair values (1, 0), (2, 0)");
                    int writers = 2;
                    CyclicBarrier bothHoldOne = new CyclicBarrier(writers);
                    ExecutorService threads = Executors.newFixedThreadPool(writers);

                    List<Future<Integer>> attempts = new ArrayList<>();
                    for (int i = 0; i < writers; i++) {
                        int first = 1 + i;
                        AtomicInteger made = new AtomicInteger();
                        attempts.add(threads.submit(() -> store.write(() -> {
                            JdbcTemplate within = store.template();
                            within.update("update pair set changes = changes + 1 where id = ?", first);
                            if (made.incrementAndGet() == 1) {
                                meet(bothHoldOne);
                            }
                            within.update("update pair set changes = changes + 1 where id = ?", 3 - first);
                            return made.get();
                        })));
                    }

                    int total = attempts.get(0).get(60, TimeUnit.SECONDS)
                            + attempts.get(1).get(60, TimeUnit.SECONDS);
                    threads.shutdown();
                    assertThat(total).isGreaterThan(writers);
                    assertThat(jdbc.queryForList("select changes from pair", Integer.class))
                            .containsExactly(writers, writers);
                    assertThat(context.getBean(ExtensionErrors.class)
                                    .count(ExtensionErrorListener.Kind.CONFLICT, ExtensionErrorListener.ANY))
                            .isEqualTo(total - writers);
                });
    }

    private static void meet(CyclicBarrier both) {
        try {
            both.await(30, TimeUnit.SECONDS);
        } catch (Exception ex) {
            throw new AssertionError(ex);
        }
    }

    @ParameterizedTest
    @Tag("endurance")
    @CsvSource({"MARIADB, 0", "MARIADB, 4", "MYSQL, 0", "MYSQL, 4"})
    void noDeadLetterIsLostToADeadlock(TestServer server, int ownConnections) {
        DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=" + server.database(),
                        "spring.datasource.hikari.maximum-pool-size=10",
                        "retryon.jdbc.own-connections=" + ownConnections,
                        "retryon.jdbc.initialize-schema=always")
                .withBean(Mails.class)
                .run(context -> {
                    List<Throwable> errors = callAll(context, Mails::die);

                    assertThat(errors).hasSize(THREADS * CALLS);
                    assertThat(DurableTrial.deadLetters(context)).hasSize(THREADS * CALLS);
                });
    }

    static class Mails {

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void send(String id) {}

        @RetryOn(value = IllegalStateException.class, delay = "1h", maxDelay = "1h")
        @Durable(ON_FAILURE)
        public void sendLater(String id) {
            if (RetryContext.current().attempt() == 1) {
                throw new IllegalStateException("down");
            }
        }

        @RetryOn(value = IOException.class, maxAttempts = 1)
        @Durable(ON_EXHAUSTION)
        public void die(String id) {
            throw new IllegalStateException("down");
        }
    }
}
