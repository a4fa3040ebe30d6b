// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.Durable;
import dev.retryon.durable.autoconfigure.RetryDurableTelemetryAutoConfiguration;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryMetricsAutoConfiguration;
import dev.retryon.spring.module.ExtensionErrors;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.api.Trigger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** {@code uniqueKey}: a call is not stored while another one with its key is. */
class UniqueCallsTests {

    private static final String LONG = "x".repeat(10_000);

    ApplicationContextRunner database() {
        return DurableTrial.inMemory();
    }

    /** Whether other threads can write while a transaction does. */
    boolean writesConcurrently() {
        return true;
    }

    final ApplicationContextRunner application() {
        return database().withBean(Item.class).withBean(Search.class);
    }

    static TransactionTemplate transaction(ApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    @Test
    void oneOfTheCallsWithAKeyIsStored() {
        application()
                .withPropertyValues(
                        "retryon.durable.threads=0",
                        "retryon.methods[" + Search.class.getName() + "#sync].durable.unique-key=#args[0].length()")
                .withConfiguration(AutoConfigurations.of(
                        RetryMetricsAutoConfiguration.class, RetryDurableTelemetryAutoConfiguration.class))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> {
                    Search search = context.getBean(Search.class);
                    transaction(context).executeWithoutResult(status -> {
                        search.index("rolled back", 0);
                        status.setRollbackOnly();
                    });
                    assertThat(DurableTrial.stored(context)).isZero();

                    transaction(context).executeWithoutResult(status -> {
                        search.index("7", 1);
                        search.index("7", 2);
                        search.index("8", 3);
                        search.remove("7");
                    });
                    assertThat(DurableTrial.stored(context)).isEqualTo(3);
                    transaction(context).executeWithoutResult(status -> {
                        search.index("7", 4);
                        search.index("rolled back", 5);
                    });
                    assertThat(DurableTrial.stored(context)).isEqualTo(4);
                    assertThat(duplicates(context)).isEqualTo(2);

                    search.index(LONG, 6);
                    search.index(LONG, 7);
                    search.index(LONG + "y", 8);
                    assertThat(DurableTrial.stored(context)).isEqualTo(6);
                    search.sync("ab");
                    search.sync("cd");
                    search.sync("cde");
                    assertThat(DurableTrial.stored(context)).isEqualTo(8);
                });
    }

    @Test
    void withoutAKeyEachCallIsStored() {
        application().withPropertyValues("retryon.durable.threads=0").run(context -> {
            Search search = context.getBean(Search.class);
            search.index(null, 1);
            search.index(null, 2);
            assertThat(DurableTrial.stored(context)).isEqualTo(2);
            assertThat(failedKeys(context, "Search.index")).isZero();

            search.rank("first");
            search.rank("first");
            assertThat(DurableTrial.stored(context)).isEqualTo(4);
            assertThat(failedKeys(context, "Search.rank")).isEqualTo(2);
        });
    }

    @Test
    void theKeyIsFreeAgainWhenTheCallHasEnded() {
        application().run(context -> {
            Search search = context.getBean(Search.class);
            // The first attempts run at once, and one of the calls is stored.
            search.fetch("7");
            await().until(() -> search.started() == 1);
            search.fetch("7");
            assertThat(search.fetched()).isEqualTo(2);
            assertThat(DurableTrial.stored(context)).isOne();

            search.up();
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(search.fetched()).isEqualTo(4);
            search.down();
            search.fetch("7");
            assertThat(DurableTrial.stored(context)).isOne();
            search.up();
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(search.fetched()).isEqualTo(6);
        });
    }

    @Test
    void ofManyCallsAtATimeOneIsStored() {
        application().withPropertyValues("retryon.durable.threads=0").run(context -> {
            Search search = context.getBean(Search.class);
            ExecutorService threads = Executors.newFixedThreadPool(8);
            List<? extends Future<?>> calls = IntStream.range(0, 200)
                    .mapToObj(call -> threads.submit(() -> search.index("7", call)))
                    .toList();
            for (Future<?> call : calls) {
                call.get();
            }
            threads.shutdown();
            assertThat(DurableTrial.stored(context)).isOne();
        });
    }

    /** Returns the item of a call that has read it, and runs until the gate opens. */
    private static Item running(ApplicationContext context, Runnable call) {
        Item item = context.getBean(Item.class);
        item.gate = new CountDownLatch(1);
        call.run();
        await().until(() -> item.reads.get() == 1);
        return item;
    }

    private static void awaitPushes(ApplicationContext context, String... states) {
        await().until(() -> DurableTrial.stored(context) == 0);
        assertThat(context.getBean(Item.class).pushed).containsExactly(states);
    }

    /** A call that is not stored must not be lost: the other one would read what its transaction has not changed yet. */
    @Test
    void aCallIsStoredIfTheOtherOneEndsBeforeItsTransaction() {
        application().withPropertyValues("retryon.durable.threads=2").run(context -> {
            Search search = context.getBean(Search.class);
            Item item = context.getBean(Item.class);
            search.push("7");
            transaction(context).executeWithoutResult(status -> {
                search.push("7");
                assertThat(DurableTrial.stored(context)).isOne();
                if (writesConcurrently()) {
                    await().until(() -> DurableTrial.stored(context) == 0);
                }
                item.state = "new";
            });

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(item.pushed).last().isEqualTo("new");
            assertThat(item.pushed).hasSize(writesConcurrently() ? 2 : 1);
        });
    }

    @Test
    void aCallThatStillWaitsStartsAfterTheTransactionOfAnotherOne() {
        application()
                .withPropertyValues(
                        "retryon.durable.threads=2",
                        "retryon.methods[" + Search.class.getName() + "#push].durable.initial-delay=2s")
                .run(context -> {
                    Search search = context.getBean(Search.class);
                    Item item = context.getBean(Item.class);
                    search.push("7");
                    transaction(context).executeWithoutResult(status -> {
                        search.push("7");
                        item.state = "new";
                    });

                    await().until(() -> DurableTrial.stored(context) == 0);
                    assertThat(item.pushed).containsExactly("new");
                });
    }

    /** Else its lease, and those of the other running calls of the process, could not be confirmed meanwhile. */
    @Test
    void aRunningCallIsNotLockedDuringTheTransactionOfAnotherOne() {
        if (!writesConcurrently()) {
            return;
        }
        application().withPropertyValues("retryon.durable.threads=2").run(context -> {
            Search search = context.getBean(Search.class);
            Item item = running(context, () -> search.push("7"));
            transaction(context).executeWithoutResult(status -> {
                search.push("7");
                CompletableFuture<Integer> heartbeat = CompletableFuture.supplyAsync(() -> DurableTrial.store(context)
                        .template()
                        .update("update retryon_call set last_heartbeat = current_timestamp where picked = true"));
                assertThat(heartbeat).succeedsWithin(Duration.ofSeconds(8)).isEqualTo(1);
                item.state = "new";
            });
            item.gate.countDown();

            awaitPushes(context, "old", "new");
        });
    }

    @Test
    void callsOfANestedTransactionThatRollsBackAreNotStored() {
        application().withPropertyValues("retryon.durable.threads=0").run(context -> {
            Search search = context.getBean(Search.class);
            search.push("6");
            TransactionTemplate nested = transaction(context);
            nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
            transaction(context).executeWithoutResult(status -> {
                search.push("7");
                nested.executeWithoutResult(inner -> {
                    search.push("6");
                    search.push("8");
                    inner.setRollbackOnly();
                });
                nested.executeWithoutResult(inner -> search.push("9"));
            });

            assertThat(DurableTrial.stored(context)).isEqualTo(3); // 6, 7, 9
        });
    }

    /** The database has rolled its transaction back, so the caller must not take it for committed. */
    @Test
    void aConflictInAListenerOfTheCommitReachesTheCaller() {
        ApplicationContextRunner application = application();
        if (getClass() != UniqueCallsTests.class) {
            return; // provoked with a trigger of H2
        }
        application.withPropertyValues("retryon.durable.threads=0").run(context -> {
            Search search = context.getBean(Search.class);
            search.push("7");
            DurableTrial.store(context)
                    .template()
                    .execute("create trigger conflict before update on retryon_call for each row call '"
                            + Conflict.class.getName() + "'");

            assertThatExceptionOfType(DataAccessException.class)
                    .isThrownBy(() -> transaction(context)
                            .executeWithoutResult(status -> TransactionSynchronizationManager.registerSynchronization(
                                    new TransactionSynchronization() {
                                        @Override
                                        public void beforeCommit(boolean readOnly) {
                                            search.push("7");
                                        }
                                    })))
                    .havingRootCause()
                    .withMessageContaining("deadlock");
        });
    }

    /** Fails once as a statement does that the database has chosen as the victim of a deadlock, not in checks at start. */
    public static class Conflict implements Trigger {

        private final Thread thread = Thread.currentThread();

        private boolean hasFailed;

        @Override
        public void fire(Connection connection, Object[] before, Object[] after) throws SQLException {
            if (!hasFailed && Thread.currentThread() == thread) {
                hasFailed = true;
                throw new SQLException("deadlock", "40001", 40001);
            }
        }
    }

    @Test
    void aCallOfAListenerOfTheCommitIsNotLost() {
        application().withPropertyValues("retryon.durable.threads=2").run(context -> {
            Search search = context.getBean(Search.class);
            Item item = running(context, () -> search.push("7"));
            transaction(context)
                    .executeWithoutResult(status ->
                            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                                @Override
                                public void beforeCommit(boolean readOnly) {
                                    search.push("7");
                                    item.state = "new";
                                }
                            }));
            item.gate.countDown();

            awaitPushes(context, "old", "new");
        });
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aTransactionThatRollsBackChangesNothingAndLogsNothing(CapturedOutput output) {
        application().withPropertyValues("retryon.durable.threads=2").run(context -> {
            Search search = context.getBean(Search.class);
            Item item = running(context, () -> search.push("7"));
            JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
            assertThatThrownBy(() -> transaction(context).executeWithoutResult(status -> {
                        search.push("7");
                        jdbc.execute("select * from no_such_table");
                    }))
                    .isInstanceOf(DataAccessException.class);
            item.gate.countDown();

            awaitPushes(context, "old");
            assertThat(output).doesNotContain("TransactionSynchronization");
        });
    }

    @Test
    void aTransactionThatRollsBackLocksNoCall() {
        AtomicReference<Runnable> beforeMark = new AtomicReference<>();
        application()
                .withPropertyValues("retryon.durable.threads=2")
                .withBean(MarkedConnections.class, () -> new MarkedConnections(beforeMark))
                .run(context -> {
                    Search search = context.getBean(Search.class);
                    Item item = running(context, () -> search.push("7"));
                    Runnable unused = () -> {};
                    beforeMark.set(unused);
                    transaction(context).executeWithoutResult(status -> {
                        search.push("7");
                        status.setRollbackOnly();
                    });

                    assertThat(beforeMark).hasValue(writesConcurrently() ? unused : null);
                    item.gate.countDown();
                    awaitPushes(context, "old");
                });
    }

    /** Each transaction would otherwise lock the key that the other one asks for next. */
    @Test
    void transactionsWithTheSameKeysInOtherOrdersDoNotFail() {
        if (!writesConcurrently()) {
            return;
        }
        application().withPropertyValues("retryon.durable.threads=0").run(context -> {
            Search search = context.getBean(Search.class);
            List<String> keys = List.of("1", "2", "3", "4", "5");
            List<String> reversed = List.of("5", "4", "3", "2", "1");
            List<CompletableFuture<Void>> callers = Stream.of(keys, reversed)
                    .map(ids -> CompletableFuture.runAsync(() -> {
                        for (int i = 0; i < 100; i++) {
                            transaction(context).executeWithoutResult(status -> ids.forEach(id -> search.index(id, 1)));
                        }
                    }))
                    .toList();

            assertThat(callers).allSatisfy(caller -> assertThat(caller).succeedsWithin(Duration.ofSeconds(60)));
            assertThat(DurableTrial.stored(context)).isEqualTo(5);
        });
    }

    @Test
    void aRunningCallRunsOnceMoreForAnotherOne() {
        application().withPropertyValues("retryon.durable.threads=2").run(context -> {
            Search search = context.getBean(Search.class);
            Item item = running(context, () -> search.push("7"));

            transaction(context).executeWithoutResult(status -> {
                search.push("7");
                search.push("7");
                item.state = "new";
            });
            item.gate.countDown();

            awaitPushes(context, "old", "new");
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
        });
    }

    /** Without a transaction, the running call can end before it is marked. */
    @Test
    void aCallIsStoredIfTheRunningOneEndsMeanwhile() {
        if (!writesConcurrently()) {
            return;
        }
        AtomicReference<Runnable> beforeMark = new AtomicReference<>();
        application()
                .withPropertyValues("retryon.durable.threads=2")
                .withBean(MarkedConnections.class, () -> new MarkedConnections(beforeMark))
                .run(context -> {
                    Search search = context.getBean(Search.class);
                    Item item = running(context, () -> search.push("7"));

                    item.state = "new";
                    beforeMark.set(() -> {
                        item.gate.countDown();
                        await().until(() -> DurableTrial.stored(context) == 0);
                    });
                    search.push("7");

                    await().until(() -> DurableTrial.stored(context) == 0);
                    assertThat(beforeMark).hasNullValue();
                    assertThat(item.pushed).containsExactly("old", "new");
                });
    }

    @Test
    void connectionsThatDoNotCommitByThemselvesStoreAndMarkCalls() {
        application()
                .withPropertyValues("spring.datasource.hikari.auto-commit=false", "retryon.durable.threads=2")
                .run(context -> {
                    Search search = context.getBean(Search.class);
                    Item item = running(context, () -> search.push("7"));

                    item.state = "new";
                    search.push("7");
                    item.gate.countDown();

                    awaitPushes(context, "old", "new");
                });
    }

    @Test
    void aRunningCallThatFailsRunsOnceMoreForAnotherOne() {
        application().withPropertyValues("retryon.durable.threads=2").run(context -> {
            Search search = context.getBean(Search.class);
            Item item = running(context, () -> search.check("7"));

            search.check("7");
            item.state = "new";
            item.gate.countDown();

            awaitPushes(context, "old", "new");
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
        });
    }

    @Test
    void aTransactionWithAKeyThatIsStoredDoesNotHoldUpOthers() {
        if (!writesConcurrently()) {
            return;
        }
        application().withPropertyValues("retryon.durable.threads=2").run(context -> {
            Search search = context.getBean(Search.class);
            search.index("8", 1);
            search.push("7");
            transaction(context).executeWithoutResult(status -> {
                search.push("7");
                CompletableFuture<Void> others = CompletableFuture.runAsync(() -> {
                    for (int i = 0; i < 20; i++) {
                        search.sync("shelf " + i);
                        search.index("other " + i, i);
                    }
                });
                assertThat(others).succeedsWithin(Duration.ofSeconds(8));
                await().until(() -> DurableTrial.stored(context) <= 1);
            });
            await().until(() -> DurableTrial.stored(context) == 0);
        });
    }

    private static double duplicates(ApplicationContext context) {
        return context.getBean(MeterRegistry.class)
                .get("retryon.durable.duplicates")
                .tag("name", "Search.index")
                .functionCounter()
                .count();
    }

    private static long failedKeys(ApplicationContext context, String name) {
        return context.getBean(ExtensionErrors.class).count(ExtensionErrorListener.Kind.GATE, name);
    }

    /** Connections that run an action on another thread before the statement that marks a running call. */
    static class MarkedConnections implements BeanPostProcessor {

        private final AtomicReference<Runnable> beforeMark;

        MarkedConnections(AtomicReference<Runnable> beforeMark) {
            this.beforeMark = beforeMark;
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return !(bean instanceof DataSource source)
                    ? bean
                    : new DelegatingDataSource(source) {
                        @Override
                        public Connection getConnection() throws SQLException {
                            return marked(super.getConnection());
                        }
                    };
        }

        private Connection marked(Connection connection) {
            return (Connection) Proxy.newProxyInstance(
                    MarkedConnections.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (proxy, method, args) -> {
                        Runnable action =
                                args != null && String.valueOf(args[0]).contains("again = picked")
                                        ? beforeMark.getAndSet(null)
                                        : null;
                        if (action != null) {
                            CompletableFuture.runAsync(action).join();
                        }
                        try {
                            return method.invoke(connection, args);
                        } catch (InvocationTargetException ex) {
                            throw ex.getTargetException();
                        }
                    });
        }
    }

    /** Read when a call starts, and pushed when the gate is open. */
    static class Item {

        final AtomicInteger reads = new AtomicInteger();

        final AtomicInteger marks = new AtomicInteger();

        final List<String> pushed = new CopyOnWriteArrayList<>();

        volatile String state = "old";

        volatile CountDownLatch gate = new CountDownLatch(0);

        String push() {
            String read = state;
            reads.incrementAndGet();
            try {
                gate.await();
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
            pushed.add(read);
            return read;
        }
    }

    static class Search {

        private final Item item;

        private final AtomicInteger fetched = new AtomicInteger();

        private final AtomicInteger started = new AtomicInteger();

        private volatile CountDownLatch service = new CountDownLatch(1);

        Search(Item item) {
            this.item = item;
        }

        @RetryOn(IOException.class)
        @Durable(value = OUTBOX, uniqueKey = "#id")
        public void index(@Nullable String id, int version) {}

        @RetryOn(IOException.class)
        @Durable(value = OUTBOX, uniqueKey = "#id")
        public void remove(String id) {}

        /** Pushes the item as it is when the call starts. */
        @RetryOn(IOException.class)
        @Durable(value = OUTBOX, uniqueKey = "#id", initialDelay = "300ms")
        public void push(String id) {
            item.push();
        }

        /** Refuses the item as it is at first. */
        @RetryOn(IOException.class)
        @Durable(value = OUTBOX, uniqueKey = "#id")
        public void check(String id) {
            if (item.push().equals("old")) {
                throw new IllegalStateException("the item is not valid");
            }
        }

        @RetryOn(IOException.class)
        @Durable(value = OUTBOX, initialDelay = "300ms")
        public void mark(String text) {
            item.marks.incrementAndGet();
        }

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void sync(String shelf) {}

        @RetryOn(IOException.class)
        @Durable(value = OUTBOX, uniqueKey = "#shelf.charAt(100)")
        public void rank(String shelf) {}

        /** Fails on the caller's thread; a worker waits until the service is up. */
        @RetryOn(IOException.class)
        @Durable(value = ON_FAILURE, uniqueKey = "#id")
        public void fetch(String id) throws IOException {
            if (!Thread.currentThread().getName().startsWith("retryon-worker")) {
                fetched.incrementAndGet();
                throw new IOException("down");
            }
            started.incrementAndGet();
            try {
                service.await();
            } catch (InterruptedException ex) {
                throw new IOException(ex);
            }
            fetched.incrementAndGet();
        }

        public int started() {
            return started.get();
        }

        public int fetched() {
            return fetched.get();
        }

        public void up() {
            service.countDown();
        }

        public void down() {
            service = new CountDownLatch(1);
        }
    }
}
