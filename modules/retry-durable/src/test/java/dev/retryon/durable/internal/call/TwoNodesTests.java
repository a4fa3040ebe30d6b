// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.retryon.durable.Durable;
import dev.retryon.durable.internal.call.Journal.Event;
import dev.retryon.durable.internal.call.Journal.Line;
import dev.retryon.durable.internal.call.KilledApplication.Work;
import dev.retryon.durable.internal.store.TestPostgres;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Two nodes that share the calls in one PostgreSQL. */
@Tag("database")
@Tag("process")
class TwoNodesTests {

    private static final Duration HEARTBEAT = Duration.ofSeconds(1);

    /** A hold lapses after four heartbeats, and it is looked for such calls every two; the rest is for busy machines. */
    private static final Duration TAKEN_OVER = HEARTBEAT.multipliedBy(4 + 2).plusSeconds(14);

    private final CountDownLatch gate = new CountDownLatch(1);

    private final String url = "spring.datasource.url=" + TestPostgres.database();

    private final String heartbeat = "retryon.durable.heartbeat-interval=" + HEARTBEAT;

    @TempDir
    private Path folder;

    private Journal journal;

    @BeforeEach
    void open() {
        journal = journal("mine");
    }

    private Journal journal(String process) {
        return new Journal(folder.resolve("journal"), process);
    }

    private ApplicationContextRunner node() {
        return DurableTrial.inMemory().withPropertyValues(url, heartbeat, "retryon.jdbc.initialize-schema=always");
    }

    private ApplicationContextRunner node(String name) {
        return node().withBean(Orders.class, () -> new Orders(journal(name), this::awaitGate));
    }

    private void awaitGate() {
        try {
            assertThat(gate.await(2, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private ChildProcess otherNode() throws IOException {
        return ChildProcess.start(
                folder,
                "other",
                List.of(
                        "trial.work=" + Work.PLACES_LONG,
                        "trial.journal=" + folder.resolve("journal"),
                        url,
                        heartbeat,
                        "retryon.jdbc.initialize-schema=always",
                        "retryon.defaults.delay=10ms"));
    }

    private List<Line> lines(Event event, String process, int attempt) {
        return journal.lines(event).stream()
                .filter(line -> line.process().equals(process) && line.attempt() == attempt)
                .toList();
    }

    @Test
    void eachCallIsMadeByOneOfThem() {
        share(400);
    }

    @Test
    @Tag("endurance")
    void eachOfManyCallsIsMadeByOneOfThem() {
        share(2000);
    }

    private void share(int calls) {
        node("one")
                .run(one -> node("two").run(two -> {
                    Orders orders = one.getBean(Orders.class);
                    for (int i = 0; i < calls; i++) {
                        orders.announce(Orders.order(1 + i % 2, "number" + i));
                    }

                    await().atMost(Duration.ofMinutes(2)).until(() -> DurableTrial.stored(one) == 0);
                    assertThat(journal.lines(Event.EFFECT)).hasSize(calls);
                    List<Line> attempts = journal.lines(Event.ATTEMPT);
                    // Half of the calls succeed in their second attempt.
                    assertThat(attempts).hasSize(calls + calls / 2);
                    assertThat(attempts.stream().map(line -> line.callId() + " " + line.attempt()))
                            .doesNotHaveDuplicates();
                    assertThat(attempts).extracting(Line::process).contains("one", "two");
                }));
    }

    @Test
    void oneTakesOverWhatAKilledOneHeld() throws Exception {
        try (ChildProcess other = otherNode()) {
            await().until(() -> lines(Event.ATTEMPT, "other", 2).size() == 2);
            node("mine").run(mine -> {
                // Heartbeats keep the hold, for longer than it lasts without them.
                await().during(HEARTBEAT.multipliedBy(6))
                        .until(() -> journal.lines().stream()
                                .noneMatch(line -> line.process().equals("mine")));

                long killed = System.nanoTime();
                other.killAfter(0);
                await().until(() -> lines(Event.ATTEMPT, "mine", 3).size() == 2);
                Duration taken = Duration.ofNanos(System.nanoTime() - killed);
                System.out.println("Taken over after " + taken);
                assertThat(taken).isLessThan(TAKEN_OVER);

                gate.countDown();
                await().until(() -> DurableTrial.stored(mine) == 0);
                assertThat(lines(Event.HOLDS, "mine", 3)).hasSize(2);
                assertThat(DurableTrial.deadLetters(mine)).isEmpty();
            });
        }
    }

    @Test
    @Tag("endurance")
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "no process can be stopped and continued there")
    void aFrozenOneSeesThatItsHoldHasLapsedAndChangesNothing() throws Exception {
        try (ChildProcess other = otherNode()) {
            await().until(() -> lines(Event.ATTEMPT, "other", 2).size() == 2);
            node("mine").run(mine -> {
                other.signal("STOP");
                await().until(() -> lines(Event.ATTEMPT, "mine", 3).size() == 2);
                journal.go();
                other.signal("CONT");

                await().until(() -> lines(Event.LAPSED, "other", 2).size() == 2);
                await().until(() -> other.output().contains("longer than the lease of its call"));
                // The calls are those of this node, as if the other one had done nothing.
                assertThat(held(mine)).isEqualTo(2);

                gate.countDown();
                await().until(() -> DurableTrial.stored(mine) == 0);
                assertThat(lines(Event.HOLDS, "mine", 3)).hasSize(2);
                assertThat(lines(Event.HOLDS, "other", 2)).isEmpty();
                assertThat(DurableTrial.deadLetters(mine)).isEmpty();
            });
        }
    }

    private static long held(ApplicationContext context) {
        return DurableTrial.store(context)
                .jdbc()
                .sql("select count(*) from retryon_call where picked")
                .query(Long.class)
                .single();
    }

    @Test
    void anOlderOneDoesNotTouchWhatOnlyANewerOneKnows() {
        node().withBean(Older.class).run(older -> {
            // The newer one is there for a moment, stores a call whose time has not come, and is replaced.
            node("newer")
                    .withPropertyValues("retryon.defaults.delay=1h")
                    .run(newer -> newer.getBean(Orders.class).place(Orders.order(2, "new")));
            makeDue(older);
            long version = version(older);
            await().during(Duration.ofSeconds(1)).until(() -> version(older) == version);

            node("newest").run(newest -> {
                await().until(() -> DurableTrial.stored(newest) == 0);
                assertThat(journal.lines(Event.EFFECT))
                        .extracting(Line::process, Line::attempt)
                        .containsExactly(tuple("newest", 2));
                assertThat(DurableTrial.deadLetters(newest)).isEmpty();
            });
        });
    }

    private static void makeDue(ApplicationContext context) {
        DurableTrial.store(context)
                .jdbc()
                .sql("update retryon_call set execution_time = now(), version = version + 1 where not picked")
                .update();
    }

    private static long version(ApplicationContext context) {
        return DurableTrial.store(context)
                .jdbc()
                .sql("select version from retryon_call")
                .query(Long.class)
                .single();
    }

    static class Older {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void place() {}
    }
}
