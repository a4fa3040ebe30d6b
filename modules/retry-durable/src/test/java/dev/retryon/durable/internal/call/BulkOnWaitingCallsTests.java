// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.retryon.RetryContext;
import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.StoredCalls.Bulk;
import dev.retryon.durable.StoredCalls.Task;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.control.RuntimeSettings;
import dev.retryon.spring.module.RuntimeChange;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Many calls that wait are retried or given up: in the background, at a rate, one task at a time. On SQLite. */
@Tag("slow")
class BulkOnWaitingCallsTests {

    private static final StoredCalls.Filter ALL = StoredCalls.Filter.of(State.WAITING, State.RUNNING);

    private static final StoredCalls.Filter MAIL =
            new StoredCalls.Filter(Set.of(State.WAITING, State.RUNNING), null, null, "mail", null, null, null);

    private static final Bulk FAST = Bulk.confirmed(Bulk.MAX_PER_SECOND);

    @TempDir
    private Path folder;

    private final Partner partner = new Partner();

    ApplicationContextRunner database() {
        return DurableTrial.embedded(folder);
    }

    private ApplicationContextRunner application() {
        return database()
                .withPropertyValues("retryon.durable.threads=2", "retryon.durable.lanes.mail.threads=1")
                .withBean(Jobs.class, () -> new Jobs(partner));
    }

    private static StoredCalls calls(ApplicationContext context) {
        return context.getBean(StoredCalls.class);
    }

    /** Stores calls whose first attempts have failed. */
    private static void fill(ApplicationContext context, int work, int mail) throws IOException {
        Jobs jobs = context.getBean(Jobs.class);
        for (int i = 0; i < work; i++) {
            jobs.work("work " + i);
        }
        for (int i = 0; i < mail; i++) {
            jobs.mail("mail " + i);
        }
    }

    private static void awaitDone(Task task) {
        await().until(() -> task.state() != Task.State.RUNNING);
        assertThat(task.state()).as(task.failure()).isEqualTo(Task.State.DONE);
    }

    @Test
    void allThatMatchAreRetriedNow() {
        application().run(context -> {
            fill(context, 3, 120);
            partner.down = false;

            Task task = calls(context).runAllNow(MAIL, FAST);

            awaitDone(task);
            assertThat(task.matched()).isEqualTo(120);
            assertThat(task.moved()).isEqualTo(120);
            assertThat(calls(context).task()).contains(task);
            await().until(() -> DurableTrial.stored(context) == 3);
            assertThat(partner.done).hasSize(120).allMatch(line -> line.startsWith("mail"));
        });
    }

    /** A call whose attempt fails is due later again, behind the others. */
    @Test
    void aCallThatFailsAgainIsNotRetriedASecondTime() {
        application().run(context -> {
            fill(context, 250, 0);

            awaitDone(calls(context).runAllNow(ALL, Bulk.confirmed(500)));

            await().until(() -> partner.failed.size() == 500);
            await().during(Duration.ofMillis(200)).until(() -> partner.failed.size() == 500);
            assertThat(calls(context).list(ALL, null, 300).calls())
                    .hasSize(250)
                    .allMatch(entry -> entry.attempts() == 2);
        });
    }

    @Test
    void allThatMatchAreGivenUp() {
        application().run(context -> {
            fill(context, 110, 2);

            Task task = calls(context)
                    .by("alice")
                    .giveUpAll(
                            new StoredCalls.Filter(
                                    Set.of(State.WAITING, State.RUNNING),
                                    "Jobs.work",
                                    IOException.class.getName(),
                                    null,
                                    null,
                                    null,
                                    null),
                            "partner has closed",
                            FAST);

            awaitDone(task);
            assertThat(task.moved()).isEqualTo(110);
            assertThat(DurableTrial.stored(context)).isEqualTo(2);
            assertThat(DurableTrial.deadLetters(context))
                    .hasSize(110)
                    .flatExtracting(DeadLetter::actions)
                    .allMatch(action -> "alice".equals(action.by()) && "partner has closed".equals(action.detail()));
        });
    }

    @Test
    void aRunningCallIsSkipped() {
        application().run(context -> {
            fill(context, 0, 2);
            partner.down = false;
            partner.gate = new CountDownLatch(1);
            String id = calls(context).list(MAIL, null, 1).calls().get(0).id();
            assertThat(calls(context).runNow(id)).isTrue();
            await().until(() -> calls(context).find(id).orElseThrow().state() == State.RUNNING);

            Task task = calls(context).giveUpAll(ALL, null, FAST);

            awaitDone(task);
            assertThat(task.moved()).isEqualTo(1);
            assertThat(task.skipped()).isEqualTo(1);
            partner.gate.countDown();
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(partner.done).hasSize(1);
            assertThat(DurableTrial.deadLetters(context)).hasSize(1);
        });
    }

    @Test
    void aDryRunOnlyCountsAndLaterCallsAreNotPartOfTheTaskThatFollows() {
        application().run(context -> {
            fill(context, 2, 0);
            Task counted = calls(context).giveUpAll(ALL, null, Bulk.dry());
            assertThat(counted.state()).isEqualTo(Task.State.DRY_RUN);
            assertThat(calls(context).task()).isEmpty();
            assertThat(DurableTrial.stored(context)).isEqualTo(2);
            await().until(() -> Instant.now().isAfter(counted.before()));
            fill(context, 1, 0);

            Task task = calls(context).giveUpAll(ALL.withTimes(null, counted.before()), null, FAST);

            awaitDone(task);
            assertThat(task.matched()).isEqualTo(counted.matched()).isEqualTo(2);
            assertThat(DurableTrial.stored(context)).isEqualTo(1);
        });
    }

    @Test
    void aCallWhoseFirstAttemptIsLaterIsLeftOutUnlessItIsAskedFor() {
        application().run(context -> {
            CallEngine engine = context.getBean(CallEngine.class);
            Instant later = Instant.now().plusSeconds(3600);
            CallEngine.Label label = new CallEngine.Label("Jobs.work", null, 0, later, "default", "");
            DurableTrial.store(context).writeSingle(() -> engine.add(null, "planned", new byte[] {1}, label, later));

            Task now = calls(context).giveUpAll(ALL, null, FAST);
            awaitDone(now);
            assertThat(now.matched()).isZero();
            Task all = calls(context).giveUpAll(ALL.withTimes(null, later.plusSeconds(1)), null, FAST);
            awaitDone(all);
            assertThat(all.moved()).isEqualTo(1);
        });
    }

    @Test
    void callsOfAPausedLaneRunWhenItIsResumed() {
        application().run(context -> {
            fill(context, 1, 3);
            partner.down = false;
            RuntimeSettings settings = context.getBean(RuntimeSettings.class);
            RuntimeChange.Target mail = new RuntimeChange.Target(RuntimeChange.Scope.SELECTED, "lanes/mail", false);
            settings.change(mail, Map.of("paused", "true"), null, "operator");

            awaitDone(calls(context).runAllNow(ALL, FAST));
            await().until(() -> partner.done.size() == 1);
            await().during(Duration.ofMillis(300)).until(() -> partner.done.size() == 1);

            settings.takeBack(mail, "operator");
            await().until(() -> partner.done.size() == 4);
        });
    }

    @Test
    void itIsPacedAndCanBeCancelledAndRunsAlone() {
        application().run(context -> {
            fill(context, 100, 0);
            StoredCalls calls = calls(context);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> calls.runAllNow(ALL, new Bulk(50, false, false)))
                    .withMessage("confirm is 'false', but must be true unless dryRun is true");
            long begin = System.nanoTime();

            Task task = calls.giveUpAll(ALL, null, Bulk.confirmed(20));
            assertThatIllegalStateException()
                    .isThrownBy(() -> calls.runAllNow(ALL, FAST))
                    .withMessage("task " + task.id() + " is running; wait until it ends, or cancel it");
            await().until(() -> task.moved() >= 5);
            assertThat(task.cancel()).isTrue();
            await().until(() -> task.state() == Task.State.CANCELLED);

            // 5 at 20 a second: the fifth comes after 4 · 50 ms.
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(190));
            assertThat(DurableTrial.stored(context))
                    .isEqualTo(100 - task.moved())
                    .isPositive();
        });
    }

    static class Partner {

        private final List<String> done = new CopyOnWriteArrayList<>();

        private final List<String> failed = new CopyOnWriteArrayList<>();

        private volatile boolean down = true;

        private volatile CountDownLatch gate = new CountDownLatch(0);

        void call(String id) throws IOException {
            if (down) {
                failed.add(id + " " + RetryContext.current().attempt());
                throw new IOException("down");
            }
            try {
                gate.await();
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
            done.add(id);
        }
    }

    @RetryOn(exceptions = IOException.class, delay = "1h", maxDelay = "1d")
    @Durable(ON_FAILURE)
    static class Jobs {

        private final Partner partner;

        Jobs(Partner partner) {
            this.partner = partner;
        }

        public void work(String id) throws IOException {
            partner.call(id);
        }

        @Durable(lane = "mail")
        public void mail(String id) throws IOException {
            partner.call(id);
        }
    }
}
