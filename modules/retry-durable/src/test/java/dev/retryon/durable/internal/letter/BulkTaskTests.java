// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import dev.retryon.StopReason;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterSummary;
import dev.retryon.durable.DeadLetters;
import dev.retryon.durable.DeadLetters.Bulk;
import dev.retryon.durable.DeadLetters.Task;
import dev.retryon.durable.Durable;
import dev.retryon.durable.autoconfigure.RetryDeadLetterAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.durable.internal.call.DurableTrial;
import dev.retryon.durable.internal.engine.DeadLetterStore;
import dev.retryon.durable.internal.engine.InMemoryDeadLetterStore;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;

/** Many dead letters are dealt with at once: in the background, at a rate, one task at a time. */
@Tag("slow")
class BulkTaskTests {

    private static final DeadLetterFilter DOWN =
            new DeadLetterFilter(Set.of(), null, "java.io.IOException", null, null, null);

    /** That of the application that runs. */
    private DeadLetterStore store = new InMemoryDeadLetterStore();

    private final Mails mails = new Mails();

    /** An application that only keeps and discards dead letters. */
    private ApplicationContextRunner application(DeadLetterStore used) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        RetryDurableCoreAutoConfiguration.class,
                        RetryAutoConfiguration.class,
                        RetryDeadLetterAutoConfiguration.class))
                .withBean(DeadLetterStore.class, () -> used)
                .withBean("mails", Mails.class, () -> mails);
    }

    private void run(ContextConsumer<AssertableApplicationContext> test) {
        DurableTrial.inMemory().withBean("mails", Mails.class, () -> mails).run(context -> {
            store = context.getBean(DeadLetterStore.class);
            test.accept(context);
        });
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

            Task task = context.getBean(DeadLetters.class).by("alice").retryAll(DOWN, Bulk.confirmed(10_000));

            await().until(() -> task.state() == Task.State.DONE);
            assertThat(task.matched()).isEqualTo(251);
            assertThat(task.moved()).isEqualTo(250);
            assertThat(task.skipped()).isEqualTo(1);
            assertThat(task.action()).isEqualTo(DeadLetterStatus.RETRYING);
            await().until(() -> count(DeadLetterStatus.RESOLVED) == 250);
            assertThat(mails.attempts).hasValue(250);
            assertThat(store.find("broken").orElseThrow().reason()).isEqualTo(StopReason.UNRESOLVABLE);
            assertThat(store.find("id 7").orElseThrow().actions().get(0).by()).isEqualTo("alice");
            assertThat(context.getBean(DeadLetters.class).task()).contains(task);
        });
    }

    @Test
    void whatDiesAgainIsNotSentForEver() {
        run(context -> {
            fill(150);

            Task task = context.getBean(DeadLetters.class).retryAll(DOWN, Bulk.confirmed(10_000));

            await().until(() -> task.state() == Task.State.DONE && count(DeadLetterStatus.RETRYING) == 0);
            assertThat(task.moved()).isEqualTo(150);
            assertThat(mails.attempts).hasValue(150);
            assertThat(count(DeadLetterStatus.DEAD)).isEqualTo(150);
        });
    }

    @Test
    void itIsDoneWhenItsCallsHaveEnded() {
        mails.down.set(false);
        mails.gate = new CountDownLatch(1);
        run(context -> {
            fill(3);

            Task task = context.getBean(DeadLetters.class).retryAll(DOWN, Bulk.confirmed(10_000));
            await().until(() -> mails.attempts.get() == 3);
            await().during(Duration.ofMillis(300)).until(() -> task.state() == Task.State.RUNNING);

            mails.gate.countDown();
            await().until(() -> task.state() == Task.State.DONE);
            assertThat(count(DeadLetterStatus.RESOLVED)).isEqualTo(3);
        });
    }

    @Test
    void aTaskThatWaitsForItsCallsCanBeCancelled() {
        mails.gate = new CountDownLatch(1);
        run(context -> {
            fill(3);
            DeadLetters letters = context.getBean(DeadLetters.class);
            Task task = letters.retryAll(DOWN, Bulk.confirmed(10_000));
            await().until(() -> mails.attempts.get() == 3);

            assertThat(task.cancel()).isTrue();

            await().until(() -> task.state() == Task.State.CANCELLED);
            mails.down.set(false);
            mails.gate.countDown();
            await().until(() -> count(DeadLetterStatus.RESOLVED) == 3);
        });
    }

    @Test
    void whatDiesAfterADryRunIsNotPartOfTheTaskThatFollows() {
        run(context -> {
            fill(3);
            DeadLetters letters = context.getBean(DeadLetters.class);
            Task counted = letters.discardAll(DOWN, null, Bulk.dry());
            store.put(Letters.letter(
                    "later",
                    Mails.class.getName() + "#send(java.lang.String)",
                    "[\"a\"]",
                    Instant.now().plusSeconds(1)));

            Task task = letters.discardAll(
                    new DeadLetterFilter(Set.of(), null, null, null, null, counted.before()),
                    null,
                    Bulk.confirmed(10_000));
            await().until(() -> task.state() == Task.State.DONE);

            assertThat(task.matched()).isEqualTo(counted.matched()).isEqualTo(3);
            assertThat(store.find("later").orElseThrow().status()).isEqualTo(DeadLetterStatus.DEAD);
        });
    }

    @Test
    void aDryRunOnlyCounts() {
        run(context -> {
            fill(3);

            Task task = context.getBean(DeadLetters.class).retryAll(DOWN, Bulk.dry());

            assertThat(task.state()).isEqualTo(Task.State.DRY_RUN);
            assertThat(task.matched()).isEqualTo(3);
            assertThat(context.getBean(DeadLetters.class).task()).isEmpty();
            assertThat(count(DeadLetterStatus.DEAD)).isEqualTo(3);
        });
    }

    @Test
    void nothingIsDoneUnlessItIsConfirmed() {
        run(context -> {
            fill(3);
            DeadLetters letters = context.getBean(DeadLetters.class);

            assertThatIllegalArgumentException()
                    .isThrownBy(() -> letters.retryAll(DOWN, new Bulk(50, false, false)))
                    .withMessage("confirm is 'false', but must be true unless dryRun is true");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> letters.discardAll(DOWN, null, new Bulk(50, false, false)));
            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () -> letters.retryAll(DeadLetterFilter.of(DeadLetterStatus.RESOLVED), Bulk.confirmed(1)));
            assertThat(count(DeadLetterStatus.DEAD)).isEqualTo(3);
        });
    }

    @Test
    void theRateHasBounds() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Bulk.confirmed(0))
                .withMessage("maxPerSecond is '0', but must be from 1 to 10000");
        assertThatIllegalArgumentException().isThrownBy(() -> Bulk.confirmed(10_001));
    }

    @Test
    void allThatMatchAreDiscarded() {
        run(context -> {
            fill(120);

            Task task =
                    context.getBean(DeadLetters.class).by("bob").discardAll(DOWN, "not needed", Bulk.confirmed(10_000));

            await().until(() -> task.state() == Task.State.DONE);
            assertThat(count(DeadLetterStatus.DISCARDED)).isEqualTo(120);
            assertThat(store.find("id 7").orElseThrow().actions())
                    .extracting(action -> action.by() + ": " + action.detail())
                    .containsExactly("bob: not needed");
            assertThat(mails.attempts).hasValue(0);
        });
    }

    @Test
    void itIsPacedAndCanBeCancelledAndRunsAlone() {
        run(context -> {
            fill(100);
            DeadLetters letters = context.getBean(DeadLetters.class);
            Instant begin = Instant.now();

            Task task = letters.discardAll(DOWN, null, Bulk.confirmed(20));
            assertThatIllegalStateException()
                    .isThrownBy(() -> letters.retryAll(DOWN, Bulk.confirmed(20)))
                    .withMessage("task " + task.id() + " is running; wait for its end, or cancel it");
            await().until(() -> task.moved() >= 5);
            assertThat(task.cancel()).isTrue();
            await().until(() -> task.state() == Task.State.CANCELLED);

            // 5 at 20 a second: the fifth comes after 4 · 50 ms.
            assertThat(Duration.between(begin, Instant.now())).isGreaterThan(Duration.ofMillis(190));
            assertThat(task.moved()).isLessThan(100);
            assertThat(task.cancel()).isFalse();
            assertThat(letters.retryAll(DOWN, Bulk.confirmed(10_000)).state()).isNotEqualTo(Task.State.CANCELLED);
        });
    }

    @Test
    void closingEndsIt() {
        Task[] task = new Task[1];
        run(context -> {
            fill(1000);
            task[0] = context.getBean(DeadLetters.class).discardAll(DOWN, null, Bulk.confirmed(10));
        });

        await().until(() -> task[0].state() == Task.State.CANCELLED);
        assertThat(task[0].moved()).isLessThan(1000);
    }

    @Test
    void aStoreThatFailsEndsItAndSaysSo() {
        AtomicBoolean broken = new AtomicBoolean();
        application(new KeptCallsTests.Hostile(store) {
                    @Override
                    public boolean move(String id, DeadLetterStatus from, DeadLetter.Action action) {
                        if (broken.get()) {
                            throw new NoClassDefFoundError("driver");
                        }
                        return super.move(id, from, action);
                    }
                })
                .run(context -> {
                    fill(3);
                    broken.set(true);

                    Task task = context.getBean(DeadLetters.class).discardAll(DOWN, null, Bulk.confirmed(10_000));

                    await().until(() -> task.state() == Task.State.FAILED);
                    assertThat(task.failure()).isEqualTo("java.lang.NoClassDefFoundError: driver");
                });
    }

    @Test
    void whatSomebodyElseHasTakenIsSkipped() {
        application(store).run(context -> {
            fill(2);
            List<DeadLetterSummary> letters = store.list(DOWN, null, 2).letters();
            DeadLetters all = context.getBean(DeadLetters.class);
            application(new KeptCallsTests.Hostile(store) {
                        @Override
                        public boolean move(String id, DeadLetterStatus from, DeadLetter.Action action) {
                            all.discard(id, "first come");
                            return super.move(id, from, action);
                        }
                    })
                    .run(other -> {
                        Task task = other.getBean(DeadLetters.class).discardAll(DOWN, null, Bulk.confirmed(10_000));

                        await().until(() -> task.state() == Task.State.DONE);
                        assertThat(task.skipped()).isEqualTo(letters.size());
                        assertThat(task.moved()).isZero();
                    });
        });
    }

    private long count(DeadLetterStatus status) {
        return store.count(DeadLetterFilter.of(status));
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
