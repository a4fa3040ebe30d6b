// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.RetryContext;
import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Calls that are stored before they are made. */
class OutboxTests {

    private static final StoredCalls.Filter ALL = StoredCalls.Filter.of(State.WAITING, State.RUNNING);

    /** Applications with a database that has transactions. */
    ApplicationContextRunner database() {
        return DurableTrial.inMemory();
    }

    private ApplicationContextRunner application() {
        return database().withBean(Mails.class);
    }

    private static TransactionTemplate transaction(ApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    private static Mails mails(ApplicationContext context) {
        return context.getBean(Mails.class);
    }

    @Test
    void areMadeByAWorkerAfterTheCommit() {
        application().run(context -> {
            transaction(context).executeWithoutResult(status -> {
                mails(context).send("17");
                assertThat(DurableTrial.stored(context)).isOne();
                assertThat(mails(context).seen()).isEmpty();
            });

            await().until(() -> DurableTrial.stored(context) == 0);
            // Through the proxy, and not stored once more.
            assertThat(mails(context).seen()).containsExactly("17 attempt 1 durable true transaction false");
        });
    }

    @Test
    void wereNeverAskedForIfTheTransactionIsRolledBack() {
        application().run(context -> {
            transaction(context).executeWithoutResult(status -> {
                mails(context).send("17");
                status.setRollbackOnly();
            });
            mails(context).send("18");

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(mails(context).seen()).singleElement().asString().startsWith("18 ");
        });
    }

    @Test
    void areStoredWithoutATransactionToo() {
        application().run(context -> {
            mails(context).send("17");

            await().until(() -> mails(context).seen().size() == 1);
            await().until(() -> DurableTrial.stored(context) == 0);
        });
    }

    @Test
    void areRetriedAndKeptLikeOthers() {
        application().run(context -> {
            mails(context).bounce();

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(mails(context).seen()).hasSize(2);
            assertThat(DurableTrial.deadLetters(context))
                    .singleElement()
                    .satisfies(letter -> assertThat(letter.reason()).isEqualTo(StopReason.EXHAUSTED));
        });
    }

    @Test
    void areRetriedAsOftenAsTheCallOverrides() {
        application().run(context -> {
            Retries.with(o -> o.maxAttempts(5).delay(Duration.ofMillis(1)))
                    .run(() -> mails(context).bounce());

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(mails(context).seen()).hasSize(5);
        });
    }

    @Test
    void waitForTheirFirstAttemptAsLongAsTheMethodOrTheCallSays() {
        application()
                .withPropertyValues("retryon.defaults.durable.initial-delay=1h")
                .run(context -> {
                    mails(context).send("17");
                    Retries.with(o -> o.set("durable.initial-delay", "240h"))
                            .run(() -> mails(context).send("18"));
                    Retries.with(o -> o.set("durable.initial-delay", "0"))
                            .run(() -> mails(context).send("19"));

                    await().until(() -> DurableTrial.stored(context) == 2);
                    assertThat(mails(context).seen()).singleElement().asString().startsWith("19 ");
                    List<StoredCalls.Summary> waiting =
                            context.getBean(CallStore.class).list(ALL, null, 3).calls();
                    assertThat(waiting)
                            .extracting(entry ->
                                    Duration.between(Instant.now(), entry.due()).toHours())
                            .containsExactlyInAnyOrder(0L, 239L);
                    // Before the planned time, because an operator asks for it.
                    waiting.forEach(entry -> assertThat(
                                    context.getBean(StoredCalls.class).runNow(entry.id()))
                            .isTrue());
                    await().until(() -> DurableTrial.stored(context) == 0);
                    assertThat(mails(context).seen()).hasSize(3).allMatch(seen -> seen.contains("attempt 1"));
                });
    }

    @Test
    void aCallThatCannotBeStoredIsReportedToItsCaller() {
        application().run(context -> {
            DurableTrial.store(context).jdbc().sql("drop table retryon_call").update();

            assertThatThrownBy(() -> mails(context).send("17")).hasMessageContaining("retryon_call");
            assertThat(mails(context).seen()).isEmpty();
        });
    }

    @Test
    void aThreadThatIsFreeGoesOnWhileSlowCallsHoldAllOthers() {
        slowCallsBesideQuickOnes(database());
    }

    @Test
    void aThreadThatIsFreeGoesOnInAFileOfItsOwnToo(@TempDir Path folder) {
        slowCallsBesideQuickOnes(DurableTrial.embedded(folder));
    }

    private static void slowCallsBesideQuickOnes(ApplicationContextRunner store) {
        int threads = 5;
        store.withPropertyValues("retryon.durable.poll-interval=1h", "retryon.durable.threads=" + threads)
                .withBean(Reports.class)
                .run(context -> {
                    Reports reports = context.getBean(Reports.class);
                    context.getBean(DurableLifecycle.class).stop();
                    for (int i = 1; i < threads; i++) {
                        reports.writeSlowly("slow " + i);
                    }
                    for (int i = 0; i < 40; i++) {
                        reports.write("quick " + i);
                    }

                    context.getBean(DurableLifecycle.class).start();

                    try {
                        await().until(() -> DurableTrial.stored(context) == threads - 1);
                        assertThat(reports.written()).doesNotHaveDuplicates().hasSize(40);
                    } finally {
                        reports.release();
                    }
                    await().until(() -> DurableTrial.stored(context) == 0);
                });
    }

    @Test
    void aThreadThatBecomesFreeDuringALookGoesOn() {
        endsDuringALook(database());
    }

    @Test
    void aThreadThatBecomesFreeDuringALookGoesOnInAFileOfItsOwnToo(@TempDir Path folder) {
        endsDuringALook(DurableTrial.embedded(folder));
    }

    /** The look has counted the thread as busy, and finds more calls than it can take. */
    private static void endsDuringALook(ApplicationContextRunner store) {
        Looks looks = new Looks();
        store.withPropertyValues("retryon.durable.poll-interval=1h", "retryon.durable.threads=2")
                .withBean(Looks.class, () -> looks)
                .withBean(Letters.class)
                .run(context -> {
                    Letters letters = context.getBean(Letters.class);
                    for (String letter : List.of("first", "second", "third")) {
                        letters.write(letter);
                    }
                    CallStore ledger = context.getBean(CallStore.class);
                    List<String> ids = ledger.list(ALL, null, 3).calls().stream()
                            .map(StoredCalls.Summary::id)
                            .toList();
                    ledger.hasten(ids.get(0), Instant.now(), null);
                    context.getBean(CallEngine.class).wake("default", Instant.now());
                    await().until(() -> letters.begun().size() == 1);
                    // Calls that are due at the same time are listed in any order.
                    String first = letters.begun().iterator().next();

                    looks.before(() -> {
                        letters.release(first);
                        await().until(() -> isIdle(letters.writer(first)));
                    });
                    ledger.hasten(ids.get(1), Instant.now(), null);
                    ledger.hasten(ids.get(2), Instant.now(), null);
                    context.getBean(CallEngine.class).wake("default", Instant.now());

                    await().until(() -> letters.begun().size() == 3);
                    letters.begun().forEach(letters::release);
                    await().until(() -> DurableTrial.stored(context) == 0);
                });
    }

    private static boolean isIdle(Thread worker) {
        return Arrays.stream(worker.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("getTask"));
    }

    @Test
    void aStoreThatIsNoPartOfTheTransactionsIsAFault(@TempDir Path folder) {
        ApplicationContextRunner beside = application()
                .withPropertyValues(
                        "retryon.durable.store=embedded", "retryon.durable.path=" + folder.resolve("calls.db"));

        beside.run(context -> assertThat(context)
                .getFailure()
                .hasMessageContaining(
                        "durable.mode is 'outbox', but calls are stored in a separate file, which does not take part in the"
                                + " application's transactions"));
        beside.withPropertyValues("retryon.durable.outbox-apart=true").run(context -> {
            mails(context).send("17");
            await().until(() -> mails(context).seen().size() == 1);
        });
    }

    @Test
    void aFileOfItsOwnWillDoWhereThereAreNoTransactions(@TempDir Path folder) {
        DurableTrial.embedded(folder).withBean(Mails.class).run(context -> {
            mails(context).send("17");
            await().until(() -> mails(context).seen().size() == 1);
        });
    }

    static class Reports {

        private final List<String> written = new CopyOnWriteArrayList<>();

        private final CountDownLatch released = new CountDownLatch(1);

        List<String> written() {
            return written;
        }

        void release() {
            released.countDown();
        }

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void writeSlowly(String id) throws InterruptedException {
            released.await();
        }

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void write(String id) {
            written.add(id);
        }
    }

    /** Letters whose first attempt fails, and whose second one takes long. */
    static class Letters {

        private final Map<String, Thread> writers = new ConcurrentHashMap<>();

        private final Map<String, CountDownLatch> released =
                Map.of("first", new CountDownLatch(1), "second", new CountDownLatch(1), "third", new CountDownLatch(1));

        Set<String> begun() {
            return writers.keySet();
        }

        Thread writer(String letter) {
            return writers.get(letter);
        }

        void release(String letter) {
            released.get(letter).countDown();
        }

        @RetryOn(value = IOException.class, delay = "2h", maxDelay = "2h")
        @Durable(ON_FAILURE)
        public void write(String letter) throws Exception {
            if (RetryContext.current().attempt() == 1) {
                throw new IOException("no paper");
            }
            writers.put(letter, Thread.currentThread());
            released.get(letter).await();
        }
    }

    /** Does something before the engine next looks for calls that are due, on its thread. */
    static class Looks implements BeanPostProcessor {

        private final AtomicReference<Runnable> next = new AtomicReference<>();

        void before(Runnable action) {
            next.set(action);
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof DataSource dataSource ? new Watched(dataSource, next) : bean;
        }
    }

    private static final class Watched extends DelegatingDataSource {

        private final AtomicReference<Runnable> next;

        Watched(DataSource dataSource, AtomicReference<Runnable> next) {
            super(dataSource);
            this.next = next;
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (Thread.currentThread().getName().startsWith("retryon-due-")) {
                Runnable action = next.getAndSet(null);
                if (action != null) {
                    action.run();
                }
            }
            return super.getConnection();
        }
    }

    static class Mails {

        private final List<String> seen = new CopyOnWriteArrayList<>();

        List<String> seen() {
            return seen;
        }

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void send(String id) {
            RetryContext call = RetryContext.current();
            seen.add(id + " attempt " + call.attempt() + " durable " + call.isDurable() + " transaction "
                    + TransactionSynchronizationManager.isActualTransactionActive());
        }

        @RetryOn(value = IOException.class, maxAttempts = 2)
        @Durable(OUTBOX)
        public void bounce() throws IOException {
            seen.add("bounce");
            throw new IOException("no such mailbox");
        }
    }
}
