// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.StoredCalls.Bulk;
import dev.retryon.durable.StoredCalls.Task;
import dev.retryon.durable.internal.call.DurableTrial;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;

/** Many dead letters are dealt with at once: in the background, at a rate, one task at a time. */
@Tag("slow")
class BulkTaskTests {

    private static final StoredCalls.Filter DOWN =
            new StoredCalls.Filter(Set.of(), null, "java.io.IOException", null, null, null, null);

    /** That of the application that runs. */
    private CallStore store;

    private final Mails mails = new Mails();

    private void run(ContextConsumer<AssertableApplicationContext> test) {
        run(real -> real, test);
    }

    /** The application uses another store, which writes to the real one. */
    private void run(UnaryOperator<CallStore> other, ContextConsumer<AssertableApplicationContext> test) {
        BeanPostProcessor replacing = new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                return bean instanceof CallStore real ? other.apply(real) : bean;
            }
        };
        application().withBean(BeanPostProcessor.class, () -> replacing).run(context -> {
            store = context.getBean(CallStore.class);
            test.accept(context);
        });
    }

    private ApplicationContextRunner application() {
        return DurableTrial.inMemory().withBean("mails", Mails.class, () -> mails);
    }

    private void fill(int count) {
        for (int i = 0; i < count; i++) {
            store.put(letter("id " + i, "[\"a\"]"));
        }
    }

    private static DeadLetter letter(String id, String arguments) {
        return Letters.letter(id, Mails.class.getName() + "#send(java.lang.String)", arguments, VirtualTime.START);
    }

    @Test
    void allThatMatchAreSentAgain() {
        run(context -> {
            fill(250);
            store.put(letter("broken", "[]"));
            mails.down.set(false);

            Task task = context.getBean(StoredCalls.class).by("alice").resendAll(DOWN, Bulk.confirmed(10_000));

            await().until(() -> task.state() == Task.State.DONE);
            assertThat(task.matched()).isEqualTo(251);
            assertThat(task.moved()).isEqualTo(250);
            assertThat(task.skipped()).isEqualTo(1);
            assertThat(task.action()).isEqualTo(Task.Action.RESEND);
            await().until(() -> count(State.RESOLVED) == 250);
            assertThat(mails.attempts).hasValue(250);
            assertThat(store.died("broken").orElseThrow().reason()).isEqualTo(StopReason.UNRESOLVABLE);
            assertThat(store.died("id 7").orElseThrow().actions().get(0).by()).isEqualTo("alice");
            assertThat(context.getBean(StoredCalls.class).task()).contains(task);
        });
    }

    @Test
    void whatDiesAgainIsNotSentForEver() {
        run(context -> {
            fill(150);

            Task task = context.getBean(StoredCalls.class).resendAll(DOWN, Bulk.confirmed(10_000));

            await().until(() -> task.state() == Task.State.DONE && count(State.WAITING) == 0);
            assertThat(task.moved()).isEqualTo(150);
            assertThat(mails.attempts).hasValue(150);
            assertThat(count(State.DEAD)).isEqualTo(150);
        });
    }

    @Test
    void itIsDoneWhenItsCallsHaveEnded() {
        mails.down.set(false);
        mails.gate = new CountDownLatch(1);
        run(context -> {
            fill(3);

            Task task = context.getBean(StoredCalls.class).resendAll(DOWN, Bulk.confirmed(10_000));
            await().until(() -> mails.attempts.get() == 3);
            await().during(Duration.ofMillis(300)).until(() -> task.state() == Task.State.RUNNING);

            mails.gate.countDown();
            await().until(() -> task.state() == Task.State.DONE);
            assertThat(count(State.RESOLVED)).isEqualTo(3);
        });
    }

    @Test
    void aTaskThatWaitsForItsCallsCanBeCancelled() {
        mails.gate = new CountDownLatch(1);
        run(context -> {
            fill(3);
            StoredCalls letters = context.getBean(StoredCalls.class);
            Task task = letters.resendAll(DOWN, Bulk.confirmed(10_000));
            await().until(() -> mails.attempts.get() == 3);

            assertThat(task.cancel()).isTrue();

            await().until(() -> task.state() == Task.State.CANCELLED);
            mails.down.set(false);
            mails.gate.countDown();
            await().until(() -> count(State.RESOLVED) == 3);
        });
    }

    @Test
    void whatDiesAfterADryRunIsNotPartOfTheTaskThatFollows() {
        run(context -> {
            fill(3);
            StoredCalls letters = context.getBean(StoredCalls.class);
            Task counted = letters.discardAll(DOWN, null, Bulk.dry());
            store.put(Letters.letter(
                    "later",
                    Mails.class.getName() + "#send(java.lang.String)",
                    "[\"a\"]",
                    Instant.now().plusSeconds(1)));

            Task task = letters.discardAll(
                    new StoredCalls.Filter(Set.of(), null, null, null, null, null, counted.before()),
                    null,
                    Bulk.confirmed(10_000));
            await().until(() -> task.state() == Task.State.DONE);

            assertThat(task.matched()).isEqualTo(counted.matched()).isEqualTo(3);
            assertThat(store.died("later").orElseThrow().state()).isEqualTo(State.DEAD);
        });
    }

    @Test
    void aDryRunOnlyCounts() {
        run(context -> {
            fill(3);

            Task task = context.getBean(StoredCalls.class).resendAll(DOWN, Bulk.dry());

            assertThat(task.state()).isEqualTo(Task.State.DRY_RUN);
            assertThat(task.matched()).isEqualTo(3);
            assertThat(context.getBean(StoredCalls.class).task()).isEmpty();
            assertThat(count(State.DEAD)).isEqualTo(3);
        });
    }

    @Test
    void nothingIsDoneUnlessItIsConfirmed() {
        run(context -> {
            fill(3);
            StoredCalls letters = context.getBean(StoredCalls.class);

            assertThatIllegalArgumentException()
                    .isThrownBy(() -> letters.resendAll(DOWN, new Bulk(50, false, false)))
                    .withMessage("confirm is 'false', but must be true unless dryRun is true");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> letters.discardAll(DOWN, null, new Bulk(50, false, false)));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> letters.resendAll(StoredCalls.Filter.of(State.RESOLVED), Bulk.confirmed(1)));
            assertThat(count(State.DEAD)).isEqualTo(3);
        });
    }

    @Test
    void theRateHasBounds() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Bulk.confirmed(0))
                .withMessage("maxPerSecond is '0', but must be between 1 and 10000");
        assertThatIllegalArgumentException().isThrownBy(() -> Bulk.confirmed(10_001));
    }

    @Test
    void allThatMatchAreDiscarded() {
        run(context -> {
            fill(120);

            Task task =
                    context.getBean(StoredCalls.class).by("bob").discardAll(DOWN, "not needed", Bulk.confirmed(10_000));

            await().until(() -> task.state() == Task.State.DONE);
            assertThat(count(State.DISCARDED)).isEqualTo(120);
            assertThat(store.died("id 7").orElseThrow().actions())
                    .extracting(action -> action.by() + ": " + action.detail())
                    .containsExactly("bob: not needed");
            assertThat(mails.attempts).hasValue(0);
        });
    }

    @Test
    void itIsPacedAndCanBeCancelledAndRunsAlone() {
        run(context -> {
            fill(100);
            StoredCalls letters = context.getBean(StoredCalls.class);
            Instant begin = Instant.now();

            Task task = letters.discardAll(DOWN, null, Bulk.confirmed(20));
            assertThatIllegalStateException()
                    .isThrownBy(() -> letters.resendAll(DOWN, Bulk.confirmed(20)))
                    .withMessage("task " + task.id() + " is running; wait until it ends, or cancel it");
            await().until(() -> task.moved() >= 5);
            assertThat(task.cancel()).isTrue();
            await().until(() -> task.state() == Task.State.CANCELLED);

            // 5 at 20 a second: the fifth comes after 4 · 50 ms.
            assertThat(Duration.between(begin, Instant.now())).isGreaterThan(Duration.ofMillis(190));
            assertThat(task.moved()).isLessThan(100);
            assertThat(task.cancel()).isFalse();
            assertThat(letters.resendAll(DOWN, Bulk.confirmed(10_000)).state()).isNotEqualTo(Task.State.CANCELLED);
        });
    }

    /** As if a process whose clock is ahead had started the first one. */
    @Test
    void theTaskThatWasStartedLastIsShownWhateverTheClocksOfProcesses() {
        AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ofMinutes(10));
        run(
                real -> {
                    InstantSource clock = () -> Instant.now().plus(ahead.get());
                    return Letters.replacing("clock", real, arguments -> clock);
                },
                context -> {
                    StoredCalls letters = context.getBean(StoredCalls.class);
                    Task first = letters.discardAll(DOWN, null, Bulk.confirmed(10));
                    await().until(() -> first.state() == Task.State.DONE);
                    ahead.set(Duration.ZERO);

                    Task second = letters.discardAll(DOWN, null, Bulk.confirmed(10));
                    await().until(() -> second.state() == Task.State.DONE);

                    assertThat(letters.task()).contains(second);
                });
    }

    @Test
    void aStoreThatFailsEndsItAndSaysSo() {
        AtomicBoolean broken = new AtomicBoolean();
        run(
                real -> Letters.replacing("discard", real, arguments -> {
                    if (broken.get()) {
                        throw new NoClassDefFoundError("driver");
                    }
                    return discard(real, arguments);
                }),
                context -> {
                    fill(3);
                    broken.set(true);

                    Task task = context.getBean(StoredCalls.class).discardAll(DOWN, null, Bulk.confirmed(10_000));

                    await().until(() -> task.state() == Task.State.FAILED);
                    assertThat(task.failure()).isEqualTo("java.lang.NoClassDefFoundError: driver");
                });
    }

    /** The second error is that of a table that is missing. */
    @Test
    void itWaitsForAStoreThatDoesNotRespond() {
        Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>(List.of(
                new QueryTimeoutException("away"),
                new BadSqlGrammarException("discard", "update", new SQLException("no such table"))));
        UnaryOperator<CallStore> failing = real -> Letters.replacing("discard", real, arguments -> {
            RuntimeException failure = failures.poll();
            if (failure != null) {
                throw failure;
            }
            return discard(real, arguments);
        });
        run(failing, context -> {
            fill(3);

            Task task = context.getBean(StoredCalls.class).discardAll(DOWN, null, Bulk.confirmed(10_000));

            await().until(() -> task.state() != Task.State.RUNNING);
            assertThat(task.state()).as(task.failure()).isEqualTo(Task.State.DONE);
            assertThat(failures).isEmpty();
            assertThat(task.moved()).isEqualTo(3);
            assertThat(count(State.DISCARDED)).isEqualTo(3);
            assertThat(context.getBean(ExtensionErrors.class).count(ExtensionErrorListener.Kind.STORE, "stored calls"))
                    .as("errors, of which an outage is one")
                    .isEqualTo(1);
        });
    }

    @Test
    void anotherNodeCanNotStartASecondOneButCanCancelIt() {
        ApplicationContextRunner node = node();
        node.run(one -> node.run(other -> {
            store = one.getBean(CallStore.class);
            fill(300); // enough for 15 seconds
            StoredCalls others = other.getBean(StoredCalls.class);

            Task task = one.getBean(StoredCalls.class).discardAll(DOWN, null, Bulk.confirmed(20));

            assertThatIllegalStateException()
                    .isThrownBy(() -> others.resendAll(DOWN, Bulk.confirmed(20)))
                    .withMessage("task " + task.id() + " is running; wait until it ends, or cancel it");
            await().until(() -> task.moved() > 0);
            Task seen = others.task().orElseThrow();
            assertThat(seen).isEqualTo(task);
            assertThat(seen.cancel()).isTrue();

            await().until(() -> task.state() == Task.State.CANCELLED);
            assertThat(seen.state()).isEqualTo(Task.State.CANCELLED);
            assertThat(task.moved()).isEqualTo(count(State.DISCARDED)).isLessThan(300);
            assertThat(count(State.DEAD)).isEqualTo(300 - task.moved());
            assertThat(mails.attempts).hasValue(0);
        }));
    }

    /** A process of an application that can have several. */
    private ApplicationContextRunner node() {
        return application()
                .withPropertyValues(
                        "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                        "retryon.jdbc.initialize-schema=always",
                        "retryon.durable.threads=2");
    }

    @Test
    void twoNodesRunEachCallOnceAlthoughTheTableOfTasksIsGoneForAWhile() {
        mails.down.set(false);
        mails.gate = new CountDownLatch(1);
        ApplicationContextRunner node = node();
        node.run(one -> node.run(other -> {
            store = one.getBean(CallStore.class);
            fill(40);
            JdbcTemplate jdbc = new JdbcTemplate(one.getBean(DataSource.class));
            ExtensionErrors errors = one.getBean(ExtensionErrors.class);
            Task task = one.getBean(StoredCalls.class).resendAll(DOWN, Bulk.confirmed(10_000));
            await().until(() -> mails.attempts.get() == 4); // the threads of both

            jdbc.execute("alter table retryon_task rename to elsewhere");
            await().until(() -> errors.count(ExtensionErrorListener.Kind.STORE, "stored calls") > 0);
            mails.gate.countDown();
            await().until(() -> count(State.RESOLVED) == 40);
            jdbc.execute("alter table elsewhere rename to retryon_task");

            await().until(() -> task.state() != Task.State.RUNNING);
            assertThat(task.state()).as(task.failure()).isEqualTo(Task.State.DONE);
            assertThat(other.getBean(StoredCalls.class).task()).map(Task::moved).contains(40L);
            assertThat(mails.attempts).hasValue(40);
        }));
    }

    @Test
    void whatSomebodyElseHasTakenIsSkipped() {
        run(
                real -> Letters.replacing("discard", real, arguments -> {
                    discard(real, arguments); // first come
                    return discard(real, arguments);
                }),
                context -> {
                    fill(2);
                    Task task = context.getBean(StoredCalls.class).discardAll(DOWN, null, Bulk.confirmed(10_000));

                    await().until(() -> task.state() == Task.State.DONE);
                    assertThat(task.skipped()).isEqualTo(2);
                    assertThat(task.moved()).isZero();
                });
    }

    private static boolean discard(CallStore store, Object... arguments) {
        return store.discard((String) arguments[0], (StoredCall.Action) arguments[1]);
    }

    private long count(State status) {
        return store.count(StoredCalls.Filter.of(status));
    }

    static class Mails {

        final AtomicBoolean down = new AtomicBoolean(true);

        final AtomicInteger attempts = new AtomicInteger();

        volatile CountDownLatch gate = new CountDownLatch(0);

        @RetryOn(value = IOException.class, maxAttempts = 1)
        @Durable(ON_EXHAUSTION)
        public void send(String to) throws IOException {
            attempts.incrementAndGet();
            try {
                gate.await();
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
            if (down.get()) {
                throw new IOException("down");
            }
        }
    }
}
