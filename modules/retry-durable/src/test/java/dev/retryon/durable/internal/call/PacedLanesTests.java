// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryContext;
import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** {@code max-per-second} and {@code probe} of lanes: waiting calls do not overrun a partner. On SQLite. */
@Tag("slow")
class PacedLanesTests {

    @TempDir
    private Path folder;

    private final Partner partner = new Partner();

    ApplicationContextRunner database() {
        return DurableTrial.embedded(folder);
    }

    private ApplicationContextRunner application(String... properties) {
        return database().withPropertyValues(properties).withBean(Jobs.class, () -> new Jobs(partner));
    }

    private static void awaitNoCalls(ApplicationContext context) {
        await().until(() -> DurableTrial.stored(context) == 0);
    }

    /** One at once, five for 250 ms, and 20 a second since. */
    private static long allowed(long begin) {
        return 7 + (System.nanoTime() - begin) / Duration.ofMillis(50).toNanos();
    }

    @Test
    void attemptsOfALaneStartAtItsRateAndOthersDoNotWait() {
        application("retryon.durable.lanes.mail.threads=4", "retryon.durable.lanes.mail.max-per-second=20")
                .run(context -> {
                    Jobs jobs = context.getBean(Jobs.class);
                    long begin = System.nanoTime();
                    for (int i = 0; i < 40; i++) {
                        jobs.mail("mail " + i);
                        jobs.work("work " + i);
                    }
                    await().until(() -> partner.started("work") == 40);
                    // On a machine without other work, this is far from all 40.
                    assertThat(partner.started("mail")).isLessThanOrEqualTo(allowed(begin));
                    awaitNoCalls(context);

                    // One at once, five for 250 ms, and 34 at 20 a second.
                    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(1690));
                    assertThat(partner.started)
                            .hasSize(80)
                            .doesNotHaveDuplicates()
                            .allMatch(line -> line.endsWith(" 1"));
                });
    }

    @Test
    void theRateOfAllLanesAppliesToEachLaneWithoutItsOwn() {
        application(
                        "retryon.durable.max-per-second=5",
                        "retryon.durable.lanes.mail.priority=1",
                        "retryon.durable.lanes.mail.max-per-second=1000")
                .run(context -> {
                    Jobs jobs = context.getBean(Jobs.class);
                    long begin = System.nanoTime();
                    for (int i = 0; i < 6; i++) {
                        jobs.work("work " + i);
                    }
                    for (int i = 0; i < 30; i++) {
                        jobs.mail("mail " + i);
                    }
                    await().until(() -> partner.started("mail") == 30);
                    awaitNoCalls(context);

                    // Two at once, because 250 ms are made up for, and four at 5 a second.
                    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(740));
                    assertThat(partner.started).hasSize(36).doesNotHaveDuplicates();
                });
    }

    /** Looking for due calls only every five seconds would take longer than the test waits. */
    @Test
    void aLaneIsLookedAtWhenItsNextAttemptMayStart() {
        application("retryon.durable.lanes.mail.max-per-second=4", "retryon.durable.poll-interval=5s")
                .run(context -> {
                    for (int i = 0; i < 14; i++) {
                        context.getBean(Jobs.class).mail("mail " + i);
                    }
                    awaitNoCalls(context);
                    assertThat(partner.done).hasSize(14).doesNotHaveDuplicates();
                });
    }

    @Test
    void whileAPartnerIsDownOneCallIsTriedAtATimeAndTheOthersWait() {
        application("retryon.durable.lanes.mail.threads=4", "retryon.durable.lanes.mail.probe=true")
                .run(context -> {
                    Jobs jobs = context.getBean(Jobs.class);
                    partner.down = true;
                    for (int i = 0; i < 30; i++) {
                        jobs.mail("mail " + i);
                    }
                    await().until(() -> lane(context).state().equals("probing"));
                    // Three that had started before, and two probes.
                    int closed = partner.started.size();
                    await().until(() -> partner.started.size() >= closed + 5);
                    CountDownLatch gate = new CountDownLatch(1);
                    partner.gate = gate;
                    await().until(() -> partner.running.get() == 1);
                    await().during(Duration.ofMillis(300)).until(() -> partner.running.get() == 1);
                    gate.countDown();
                    assertThat(DurableTrial.stored(context)).isEqualTo(30);

                    partner.down = false;
                    awaitNoCalls(context);
                    assertThat(lane(context).state()).isEqualTo("open");
                    assertThat(partner.done).hasSize(30).doesNotHaveDuplicates();
                    assertThat(DurableTrial.deadLetters(context)).isEmpty();
                    // Waiting for a probe is no attempt: most calls have succeeded with their first.
                    assertThat(partner.started)
                            .filteredOn(line -> line.endsWith(" 1"))
                            .hasSize(30);
                });
    }

    @Test
    void lastAttemptsCountAndErrorsThatAreNotRetriedDoNot() {
        application("retryon.durable.lanes.mail.threads=1", "retryon.durable.lanes.mail.probe=true")
                .run(context -> {
                    Jobs jobs = context.getBean(Jobs.class);
                    for (int i = 0; i < 5; i++) {
                        jobs.wrong("wrong " + i);
                    }
                    awaitNoCalls(context);
                    assertThat(lane(context).state()).isEqualTo("open");

                    partner.down = true;
                    for (int i = 0; i < 20; i++) {
                        jobs.once("once " + i);
                    }
                    await().until(() -> lane(context).state().equals("probing"));
                    partner.down = false;
                    awaitNoCalls(context);
                    assertThat(lane(context).state()).isEqualTo("open");
                    // Three, and perhaps a probe.
                    assertThat(partner.done).hasSizeBetween(16, 17);
                    assertThat(DurableTrial.deadLetters(context)).hasSize(5 + 20 - partner.done.size());
                });
    }

    @Test
    void lastAttemptsOfCallsThatAreDiscardedCountToo() {
        application(
                        "retryon.durable.lanes.mail.threads=1",
                        "retryon.durable.lanes.mail.probe=true",
                        "retryon.defaults.durable.when-failed=delete")
                .run(context -> {
                    partner.down = true;
                    for (int i = 0; i < 20; i++) {
                        context.getBean(Jobs.class).once("once " + i);
                    }
                    await().until(() -> lane(context).state().equals("probing"));
                    partner.down = false;
                    awaitNoCalls(context);
                    // Three, and perhaps a probe.
                    assertThat(partner.done).hasSizeBetween(16, 17);
                    assertThat(DurableTrial.deadLetters(context)).isEmpty();
                });
    }

    @Test
    void aLaneIsLookedAtAtOnceWhenAnAttemptOpensIt() {
        application("retryon.durable.lanes.mail.threads=4", "retryon.durable.lanes.mail.probe=true")
                .run(context -> {
                    Jobs jobs = context.getBean(Jobs.class);
                    CountDownLatch gate = new CountDownLatch(1);
                    partner.gate = gate;
                    jobs.mail("slow");
                    await().until(() -> partner.running.get() == 1);
                    for (int i = 0; i < 3; i++) {
                        jobs.rarely("rarely " + i);
                    }
                    // The next probe would be tried after a minute.
                    await().until(() -> lane(context).state().equals("probing"));
                    jobs.mail("next");
                    gate.countDown();

                    await().until(() -> partner.done.contains("next"));
                    assertThat(lane(context).state()).isEqualTo("open");
                });
    }

    @Test
    void anApplicationWithAnotherRateContinuesWhereTheFirstOneEnded() {
        String mail = "retryon.durable.lanes.mail.max-per-second=";
        ApplicationContextRunner runner = application("retryon.durable.lanes.mail.threads=2");
        runner.withPropertyValues(mail + "0.5").run(context -> {
            for (int i = 0; i < 10; i++) {
                context.getBean(Jobs.class).mail("mail " + i);
            }
            await().until(() -> partner.started("mail") == 1);
        });
        runner.withPropertyValues(mail + "500").run(PacedLanesTests::awaitNoCalls);

        assertThat(partner.done).hasSize(10).doesNotHaveDuplicates();
    }

    private static DurableCalls.Lane lane(ApplicationContext context) {
        List<DurableCalls.Lane> lanes = context.getBean(DurableCalls.class).lanes();
        assertThat(lanes).extracting(DurableCalls.Lane::lane).containsExactly("default", "mail");
        return lanes.get(1);
    }

    static class Partner {

        private final List<String> started = new CopyOnWriteArrayList<>();

        private final List<String> done = new CopyOnWriteArrayList<>();

        private final AtomicInteger running = new AtomicInteger();

        private volatile CountDownLatch gate = new CountDownLatch(0);

        private volatile boolean down;

        long started(String prefix) {
            return started.stream().filter(line -> line.startsWith(prefix)).count();
        }

        void call(String id) throws IOException {
            running.incrementAndGet();
            try {
                gate.await();
                started.add(id + " " + RetryContext.current().attempt());
                if (down) {
                    throw new IOException("down");
                }
                done.add(id);
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            } finally {
                running.decrementAndGet();
            }
        }
    }

    @RetryOn(exceptions = IOException.class, delay = "50ms", maxDelay = "50ms", maxAttempts = 1000)
    static class Jobs {

        private final Partner partner;

        Jobs(Partner partner) {
            this.partner = partner;
        }

        @Durable(OUTBOX)
        public void work(String id) throws IOException {
            partner.call(id);
        }

        @Durable(value = OUTBOX, lane = "mail")
        public void mail(String id) throws IOException {
            partner.call(id);
        }

        @RetryOn(maxAttempts = 1)
        @Durable(value = OUTBOX, lane = "mail")
        public void once(String id) throws IOException {
            partner.call(id);
        }

        @RetryOn(delay = "5m", maxDelay = "5m")
        @Durable(value = OUTBOX, lane = "mail")
        public void rarely(String id) throws IOException {
            throw new IOException(id);
        }

        @Durable(value = OUTBOX, lane = "mail")
        public void wrong(String id) {
            throw new IllegalArgumentException(id);
        }
    }
}
