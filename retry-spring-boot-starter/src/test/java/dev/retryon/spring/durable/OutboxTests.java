/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import static dev.retryon.spring.durable.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.RetryContext;
import dev.retryon.StopReason;
import dev.retryon.spring.Durable;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Calls that are stored before they are made. */
class OutboxTests {

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
    void aStoreThatIsNoPartOfTheTransactionsIsAFault(@TempDir Path folder) {
        ApplicationContextRunner beside = application()
                .withPropertyValues(
                        "retryon.durable.store=embedded", "retryon.durable.path=" + folder.resolve("calls.db"));

        beside.run(context -> assertThat(context)
                .getFailure()
                .hasMessageContaining(
                        "durable is 'outbox', but calls are kept in a file of its own, which is no part of the"
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

        @RetryOn(value = IOException.class, durable = Durable.OUTBOX)
        public void writeSlowly(String id) throws InterruptedException {
            released.await();
        }

        @RetryOn(value = IOException.class, durable = Durable.OUTBOX)
        public void write(String id) {
            written.add(id);
        }
    }

    static class Mails {

        private final List<String> seen = new CopyOnWriteArrayList<>();

        List<String> seen() {
            return seen;
        }

        @RetryOn(value = IOException.class, durable = Durable.OUTBOX)
        public void send(String id) {
            RetryContext call = RetryContext.current();
            seen.add(id + " attempt " + call.attempt() + " durable " + call.isDurable() + " transaction "
                    + TransactionSynchronizationManager.isActualTransactionActive());
        }

        @RetryOn(value = IOException.class, maxAttempts = 2, durable = Durable.OUTBOX)
        public void bounce() throws IOException {
            seen.add("bounce");
            throw new IOException("no such mailbox");
        }
    }
}
