// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.autoconfigure.RetryDurableTelemetryAutoConfiguration;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryMetricsAutoConfiguration;
import dev.retryon.spring.internal.control.RuntimeSettings;
import dev.retryon.spring.module.RuntimeChange;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** {@code retryon.durable.lanes}: a slow partner does not hold the threads of others. */
@Tag("slow")
class LanesTests {

    private static final String MAIL_THREADS = "retryon.durable.lanes.mail.threads=";

    @TempDir
    Path folder;

    private final Partner partner = new Partner();

    private @Nullable ApplicationContextRunner database;

    ApplicationContextRunner newDatabase() {
        return DurableTrial.embedded(folder);
    }

    private ApplicationContextRunner database() {
        if (database == null) {
            database = newDatabase();
        }
        return database;
    }

    /** An application with one default thread. */
    private ApplicationContextRunner application(String... properties) {
        return database()
                .withPropertyValues("retryon.durable.threads=1")
                .withPropertyValues(properties)
                .withBean(Jobs.class, () -> new Jobs(partner));
    }

    @Test
    void aLaneDoesNotWaitForTheThreadsOfOthers() {
        application(MAIL_THREADS + 1, "retryon.durable.lanes.urgent.threads=1").run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.hang();
            jobs.hangInMail();
            await().until(() -> partner.hanging.get() == 2);
            jobs.work("1");
            jobs.mail("2");
            jobs.urgent("3");

            await().until(() -> partner.done.contains("3"));
            assertThat(partner.done).containsExactly("3");
            await().until(() -> DurableTrial.stored(context) == 4);

            partner.gate.countDown();
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(partner.done).containsExactlyInAnyOrder("1", "2", "3");
        });
    }

    @Test
    void aLaneRunsAsManyCallsAtATimeAsItHasThreads() {
        application(MAIL_THREADS + 2, "retryon.durable.lanes.urgent.threads=1").run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            for (int i = 0; i < 5; i++) {
                jobs.hangInMail();
            }

            await().until(() -> partner.hanging.get() == 2);
            jobs.urgent("later");
            await().until(() -> partner.done.contains("later"));
            assertThat(partner.hanging).hasValue(2);
            assertThat(partner.threads).allMatch(name -> name.startsWith("retryon-worker-mail-"));

            partner.gate.countDown();
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(partner.hanging).hasValue(5);
        });
    }

    @Test
    void onSharedThreadsAHigherPriorityIsFirst() {
        application("retryon.durable.lanes.mail.priority=-1", "retryon.durable.lanes.urgent.priority=5")
                .run(context -> {
                    Jobs jobs = occupied(context);
                    for (int i = 0; i < 6; i++) {
                        jobs.mail("low");
                    }
                    for (int i = 0; i < 6; i++) {
                        jobs.work("normal");
                    }
                    for (int i = 0; i < 6; i++) {
                        jobs.urgent("high");
                    }

                    partner.gate.countDown();
                    await().until(() -> DurableTrial.stored(context) == 0);
                    // On some databases, three calls are looked up ahead of the thread.
                    assertThat(partner.done.subList(0, 9))
                            .filteredOn("high"::equals)
                            .hasSize(6);
                    assertThat(partner.done.subList(0, 15))
                            .filteredOn("normal"::equals)
                            .hasSize(6);
                });
    }

    @Test
    void lanesOfTheSamePriorityRunInTheOrderInWhichTheyAreDue() {
        application("retryon.durable.lanes.mail.priority=0", "retryon.durable.lanes.urgent.priority=0")
                .run(context -> {
                    Jobs jobs = occupied(context);
                    jobs.mail("1");
                    later(() -> jobs.work("2"));
                    later(() -> jobs.urgent("3"));
                    later(() -> jobs.work("4"));

                    partner.gate.countDown();
                    await().until(() -> DurableTrial.stored(context) == 0);
                    assertThat(partner.done).containsExactly("1", "2", "3", "4");
                });
    }

    /** Occupies the default thread until the gate opens. */
    private Jobs occupied(ApplicationContext context) {
        Jobs jobs = context.getBean(Jobs.class);
        jobs.hang();
        await().until(() -> partner.hanging.get() == 1);
        return jobs;
    }

    /** Stores a call that is due later than those before, by a clock of milliseconds. */
    private static void later(Runnable call) {
        Instant before = Instant.now().plusMillis(1);
        await().until(() -> Instant.now().isAfter(before));
        call.run();
    }

    /** As after a deployment without the lane, or of another node. */
    @Test
    void callsOfALaneThatIsNotKnownHereRunOnTheDefaultThreads() {
        application(
                        MAIL_THREADS + 1,
                        "retryon.durable.lanes.urgent.threads=1",
                        "retryon.durable.heartbeat-interval=50ms")
                .run(context -> {
                    Jobs jobs = context.getBean(Jobs.class);
                    jobs.hang();
                    await().until(() -> partner.hanging.get() == 1);
                    jobs.work("'); drop table retryon_call; --");
                    DurableTrial.store(context)
                            .jdbc()
                            .sql("update retryon_call set lane = ? where picked = ?")
                            .params("o'lane; \\", false)
                            .update();
                    jobs.work("after");

                    partner.gate.countDown();
                    await().until(() -> DurableTrial.stored(context) == 0);
                    assertThat(partner.done).hasSize(2);
                });
    }

    @Test
    void callsOfALaneWithoutThreadsWaitForAProcessThatHasThem() {
        String urgent = "retryon.durable.lanes.urgent.threads=1";
        ApplicationContextRunner shared = sharedDatabase().withBean(Jobs.class, () -> new Jobs(partner));
        shared.withPropertyValues(MAIL_THREADS + 0, urgent).run(web -> {
            Jobs jobs = web.getBean(Jobs.class);
            jobs.mail("mail");
            jobs.work("work");
            await().until(() -> partner.done.contains("work"));
            await().during(Duration.ofMillis(300)).until(() -> DurableTrial.stored(web) == 1);
            assertThat(web.getBean(CallStore.class)
                            .list(
                                    new StoredCalls.Filter(
                                            Set.of(State.WAITING, State.RUNNING), null, null, "mail", null, null, null),
                                    null,
                                    10)
                            .calls())
                    .extracting(StoredCalls.Summary::lane)
                    .containsExactly("mail");

            shared.withPropertyValues("retryon.durable.threads=0", MAIL_THREADS + 1, urgent)
                    .run(worker -> await().until(() -> partner.done.contains("mail")));
        });
    }

    /** A database that two applications can open. */
    ApplicationContextRunner sharedDatabase() {
        return LanesOnH2Tests.h2();
    }

    @Test
    void aProcessAnnouncesOnlyMethodsThatItsThreadsRun() {
        sharedDatabase()
                .withBean(Jobs.class, () -> new Jobs(partner))
                .withPropertyValues(
                        MAIL_THREADS + 1, "retryon.durable.threads=0", "retryon.durable.lanes.urgent.priority=1")
                .run(context -> {
                    List<String> announced = DurableTrial.store(context)
                            .jdbc()
                            .sql("select methods from retryon_node")
                            .query(String.class)
                            .list();
                    assertThat(announced)
                            .singleElement()
                            .asString()
                            .contains("#mail(", "#hangInMail(")
                            .doesNotContain("#work(", "#urgent(");
                });
    }

    @Test
    void gaugesAndListsHaveTheLane() {
        application(MAIL_THREADS + 1, "retryon.durable.lanes.urgent.threads=1")
                .withConfiguration(AutoConfigurations.of(
                        RetryMetricsAutoConfiguration.class, RetryDurableTelemetryAutoConfiguration.class))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> {
                    Jobs jobs = context.getBean(Jobs.class);
                    jobs.hang();
                    jobs.hangInMail();
                    await().until(() -> partner.hanging.get() == 2);
                    jobs.mail("1");
                    jobs.mail("2");
                    jobs.work("3");

                    assertThat(waiting(context, "mail")).isEqualTo(2);
                    assertThat(waiting(context, "default")).isEqualTo(1);
                    assertThat(waiting(context, "urgent")).isZero();
                    CallStore ledger = context.getBean(CallStore.class);
                    assertThat(ledger.count(new StoredCalls.Filter(
                                    Set.of(State.WAITING, State.RUNNING), null, null, "mail", null, null, null)))
                            .isEqualTo(3);
                    assertThat(ledger.count(new StoredCalls.Filter(
                                    Set.of(State.WAITING, State.RUNNING), null, null, "' or 1 = 1", null, null, null)))
                            .isZero();
                    partner.gate.countDown();
                    await().until(() -> DurableTrial.stored(context) == 0);
                });
    }

    @Test
    void aPausedLaneWaitsUntilItIsResumed() {
        application("retryon.durable.lanes.mail.priority=3", "retryon.durable.lanes.urgent.threads=1")
                .run(context -> {
                    RuntimeSettings settings = context.getBean(RuntimeSettings.class);
                    RuntimeChange.Target mail =
                            new RuntimeChange.Target(RuntimeChange.Scope.SELECTED, "lanes/mail", false);
                    settings.change(mail, Map.of("paused", "true"), null, "operator");
                    Jobs jobs = context.getBean(Jobs.class);
                    for (int i = 0; i < 20; i++) {
                        jobs.mail("mail");
                    }
                    jobs.work("work");
                    jobs.urgent("urgent");

                    await().until(() -> partner.done.size() == 2);
                    await().during(Duration.ofMillis(300)).until(() -> DurableTrial.stored(context) == 20);

                    settings.takeBack(mail, "operator");
                    await().until(() -> DurableTrial.stored(context) == 0);
                    assertThat(partner.done).hasSize(22);
                });
    }

    private static double waiting(ApplicationContext context, String lane) {
        return context.getBean(MeterRegistry.class)
                .get("retryon.durable.waiting")
                .tag("lane", lane)
                .gauge()
                .value();
    }

    /** All lanes have the same time for their running calls. */
    @Test
    void allLanesStopAtTheSameTimeAndNoCallIsLost() {
        Instant[] closing = new Instant[1];
        application(
                        MAIL_THREADS + 1,
                        "retryon.durable.lanes.urgent.threads=1",
                        "spring.lifecycle.timeout-per-shutdown-phase=2s",
                        "retryon.durable.heartbeat-interval=100ms")
                .run(context -> {
                    Jobs jobs = context.getBean(Jobs.class);
                    jobs.hang();
                    jobs.hangInMail();
                    await().until(() -> partner.hanging.get() == 2);
                    jobs.mail("1");
                    later(() -> jobs.work("2"));
                    closing[0] = Instant.now();
                });
        // Running calls are waited for, one second, then interrupted.
        assertThat(Duration.between(closing[0], Instant.now())).isLessThan(Duration.ofSeconds(4));
        assertThat(partner.interrupted).hasValue(2);

        partner.gate.countDown();
        application(
                        MAIL_THREADS + 1,
                        "retryon.durable.lanes.urgent.threads=1",
                        "retryon.durable.heartbeat-interval=100ms")
                .run(context -> {
                    await().until(() -> DurableTrial.stored(context) == 0);
                    assertThat(partner.done).containsExactlyInAnyOrder("1", "2");
                });
    }

    /** A partner that hangs until its gate is open. */
    static class Partner {

        final CountDownLatch gate = new CountDownLatch(1);

        final AtomicInteger hanging = new AtomicInteger();

        final AtomicInteger interrupted = new AtomicInteger();

        final List<String> done = new CopyOnWriteArrayList<>();

        final List<String> threads = new CopyOnWriteArrayList<>();

        void hang() {
            threads.add(Thread.currentThread().getName());
            hanging.incrementAndGet();
            try {
                gate.await();
            } catch (InterruptedException ex) {
                interrupted.incrementAndGet();
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", ex);
            }
        }
    }

    @RetryOn(IllegalStateException.class)
    @Durable(OUTBOX)
    static class Jobs {

        private final Partner partner;

        Jobs(Partner partner) {
            this.partner = partner;
        }

        public void hang() {
            partner.hang();
        }

        @Durable(lane = "mail")
        public void hangInMail() {
            partner.hang();
        }

        @Durable(lane = "default")
        public void work(String id) {
            partner.done.add(id);
        }

        @Durable(lane = "mail")
        public void mail(String id) {
            partner.done.add(id);
        }

        @Durable(lane = "${urgent.lane:urgent}")
        public void urgent(String id) {
            partner.done.add(id);
        }
    }
}
