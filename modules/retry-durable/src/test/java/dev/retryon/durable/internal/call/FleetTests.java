// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.store.TestPostgres;
import dev.retryon.durable.internal.store.TestServer;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

/** Nodes of different versions and different applications that share one database. */
@ExtendWith(OutputCaptureExtension.class)
@Tag("database")
class FleetTests {

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final int CALLS = 300;

    private final CountDownLatch gate = new CountDownLatch(1);

    private final Queue<String> paid = new ConcurrentLinkedQueue<>();

    private final Queue<String> shipped = new ConcurrentLinkedQueue<>();

    @AfterEach
    void open() {
        gate.countDown();
    }

    private static ApplicationContextRunner node(String url, String application) {
        return DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=" + url,
                        "spring.application.name=" + application,
                        "retryon.jdbc.initialize-schema=always",
                        "retryon.durable.unresolved-after=" + PATIENCE,
                        "retryon.durable.heartbeat-interval=250ms");
    }

    /** The part of an application that only its newer version has. */
    public class Payments {

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void pay(String order) {
            paid.add(order);
        }

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void waitAtGate() throws InterruptedException {
            assertThat(gate.await(1, TimeUnit.MINUTES)).isTrue();
        }
    }

    /** The part that all versions have. */
    public class Shipments {

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void ship(String order) {
            shipped.add(order);
        }

        @RetryOn(value = IOException.class, maxAttempts = 1)
        @Durable(ON_EXHAUSTION)
        public void lose(String order) throws IOException {
            throw new IOException(order + " is lost");
        }
    }

    @Test
    void aNodeWithoutTheMethodLeavesItsCallsToOnesThatHaveIt() {
        leavesUnknownCalls(TestPostgres.database());
    }

    @ParameterizedTest
    @Tag("endurance")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POSTGRESQL")
    void aNodeWithoutTheMethodLeavesItsCallsToOnesThatHaveIt(TestServer server) {
        leavesUnknownCalls(server.database());
    }

    private void leavesUnknownCalls(String url) {
        node(url, "shop")
                .withBean(Payments.class, Payments::new)
                .withPropertyValues("retryon.durable.threads=2")
                .run(newer -> node(url, "shop")
                        .withBean(Shipments.class, Shipments::new)
                        .run(older -> {
                            Payments payments = newer.getBean(Payments.class);
                            payments.waitAtGate();
                            payments.waitAtGate();
                            await().until(() -> running(newer) == 2);
                            for (int i = 0; i < CALLS; i++) {
                                payments.pay("order" + i);
                            }
                            // The newer node is busy for much longer than calls wait for an unknown method.
                            await().during(PATIENCE.multipliedBy(4))
                                    .until(() -> DurableTrial.deadLetters(newer).isEmpty());
                            older.getBean(Shipments.class).ship("meanwhile");
                            await().until(() -> shipped.contains("meanwhile"));
                            gate.countDown();

                            // The calls are due at once: the older node neither holds nor postpones them.
                            await().atMost(Duration.ofSeconds(10)).until(() -> DurableTrial.stored(newer) == 0);
                            assertThat(paid).hasSize(CALLS).doesNotHaveDuplicates();
                            assertThat(DurableTrial.deadLetters(newer)).isEmpty();
                        }));
    }

    @Test
    void aNodeWithoutThreadsLeavesItsCallsToOthers() {
        leavesCallsWithoutThreads(TestPostgres.database());
    }

    @ParameterizedTest
    @Tag("endurance")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POSTGRESQL")
    void aNodeWithoutThreadsLeavesItsCallsToOthers(TestServer server) {
        leavesCallsWithoutThreads(server.database());
    }

    private void leavesCallsWithoutThreads(String url) {
        node(url, "shop")
                .withBean(Payments.class, Payments::new)
                .withPropertyValues("retryon.durable.threads=0")
                .run(front -> {
                    front.getBean(Payments.class).pay("order 1");
                    // Much longer than calls wait for an unknown method.
                    await().during(PATIENCE.multipliedBy(2)).until(() -> DurableTrial.stored(front) == 1);
                    assertThat(paid).isEmpty();

                    node(url, "shop").withBean(Payments.class, Payments::new).run(back -> {
                        await().until(() -> DurableTrial.stored(front) == 0);
                        front.getBean(Payments.class).pay("order 2");
                        await().until(() -> DurableTrial.stored(front) == 0);
                        assertThat(paid).containsExactly("order 1", "order 2");
                        assertThat(DurableTrial.deadLetters(front)).isEmpty();
                    });
                });
    }

    private static long running(ApplicationContext context) {
        return DurableTrial.store(context)
                .jdbc()
                .sql("select count(*) from retryon_call where picked")
                .query(Long.class)
                .single();
    }

    @Test
    void aCallWaitsWhileNoLiveNodeKnowsItsMethod() {
        String url = TestPostgres.database();
        node(url, "shop").withBean(Shipments.class, Shipments::new).run(older -> {
            node(url, "shop").withBean(Payments.class, Payments::new).run(newer -> store(newer, "left behind"));

            await().during(PATIENCE.multipliedBy(3))
                    .until(() -> DurableTrial.deadLetters(older).isEmpty());
            assertThat(DurableTrial.stored(older)).isOne();

            node(url, "shop").withBean(Payments.class, Payments::new).run(newest -> {
                await().until(() -> DurableTrial.stored(older) == 0);
                assertThat(paid).containsExactly("left behind");
            });
        });
    }

    /** A node without the method knows of one that has it, but not that the arguments do not fit there. */
    @Test
    void aCallWhoseArgumentsFitNoNodeDiesAlthoughANodeWithoutTheMethodLooksAtIt() {
        String url = TestPostgres.database();
        node(url, "shop")
                .withBean(Shipments.class, Shipments::new)
                .withPropertyValues("retryon.durable.poll-interval=1h")
                .run(with -> {
                    with.getBean(DurableLifecycle.class).stop();
                    with.getBean(Shipments.class).ship("1");
                    renameParameter(with);
                    with.getBean(DurableLifecycle.class).start();
                    await().until(() -> unfitSince(with) > 0);
                    Instant end = Instant.now().plus(PATIENCE);
                    node(url, "shop").withBean(Payments.class, Payments::new).run(without -> {
                        await().until(() -> Instant.now().isAfter(end));

                        with.getBean(CallEngine.class).wake("default", Instant.now());

                        await().atMost(Duration.ofSeconds(5)).until(() -> DurableTrial.stored(with) == 0);
                        assertThat(DurableTrial.deadLetters(with))
                                .singleElement()
                                .satisfies(letter -> assertThat(letter.reason()).isEqualTo(StopReason.UNRESOLVABLE));
                    });
                });
    }

    private static long unfitSince(ApplicationContext context) {
        return DurableTrial.store(context)
                .jdbc()
                .sql("select coalesce(max(unfit_since), 0) from retryon_call")
                .query(Long.class)
                .single();
    }

    private static void renameParameter(ApplicationContext context) {
        DurableTrial.store(context)
                .jdbc()
                .sql("update retryon_call set task_data ="
                        + " convert_to(replace(convert_from(task_data, 'UTF8'), 'order', 'parcel'), 'UTF8')")
                .update();
    }

    /** Stores a call that no worker of this node makes before the node ends. */
    private static void store(ApplicationContext context, String order) {
        context.getBean(DurableLifecycle.class).stop();
        context.getBean(Payments.class).pay(order);
    }

    @Test
    void twoApplicationsSeeOnlyTheirOwnCalls() {
        seesOnlyItsOwnCalls(TestPostgres.database());
    }

    @ParameterizedTest
    @Tag("endurance")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POSTGRESQL")
    void twoApplicationsSeeOnlyTheirOwnCalls(TestServer server) {
        seesOnlyItsOwnCalls(server.database());
    }

    private void seesOnlyItsOwnCalls(String url) {
        node(url, "shop")
                .withBean(Payments.class, Payments::new)
                .withBean(Shipments.class, Shipments::new)
                .run(shop -> node(url, "billing")
                        .withBean(Shipments.class, Shipments::new)
                        .run(billing -> {
                            shop.getBean(DurableLifecycle.class).stop();
                            shop.getBean(Payments.class).pay("1");
                            shop.getBean(Shipments.class).ship("2");
                            billing.getBean(Shipments.class).ship("3");

                            await().until(() -> shipped.contains("3"));
                            await().during(PATIENCE.multipliedBy(3)).until(() -> shipped.size() == 1);
                            assertThat(DurableTrial.stored(shop)).isEqualTo(2);
                            assertThat(shop.getBean(CallEngine.class)
                                            .backlog()
                                            .get("default")
                                            .waiting())
                                    .isEqualTo(2);
                            assertThat(billing.getBean(CallEngine.class).backlog())
                                    .isEmpty();
                            CallStore ledger = shop.getBean(CallStore.class);
                            assertThat(ledger.count(NOTHING)).isEqualTo(2);
                            CallStore other = billing.getBean(CallStore.class);
                            assertThat(other.count(NOTHING)).isZero();
                            String id =
                                    ledger.list(NOTHING, null, 1).calls().get(0).id();
                            assertThat(other.find(id)).isEmpty();
                            assertThat(billing.getBean(StoredCalls.class).giveUp(id, null))
                                    .isFalse();

                            shop.getBean(DurableLifecycle.class).start();
                            await().until(() -> DurableTrial.stored(shop) == 0);
                            assertThat(shipped).containsExactly("3", "2");
                            assertThat(paid).containsExactly("1");
                            assertThat(DurableTrial.deadLetters(shop)).isEmpty();
                        }));
    }

    private static final StoredCalls.Filter NOTHING = StoredCalls.Filter.of(State.WAITING, State.RUNNING);

    @Test
    void deadLettersBelongToTheirApplication() {
        String url = TestPostgres.database();
        node(url, "shop")
                .withBean(Shipments.class, Shipments::new)
                .run(shop -> node(url, "billing").run(billing -> {
                    try {
                        shop.getBean(Shipments.class).lose("1");
                    } catch (IOException ex) {
                        assertThat(ex).hasMessage("1 is lost");
                    }
                    DeadLetter letter = DurableTrial.deadLetters(shop).get(0);
                    assertThat(DurableTrial.deadLetters(billing)).isEmpty();
                    StoredCalls others = billing.getBean(StoredCalls.class);
                    assertThat(others.find(letter.id())).isEmpty();
                    assertThat(others.resend(letter.id())).isFalse();
                    assertThat(others.count(StoredCalls.Filter.ALL)).isZero();
                    CallStore store = billing.getBean(CallStore.class);
                    assertThat(store.totals()).isEmpty();
                    assertThat(store.delete(null, 0)).isZero();
                    assertThat(DurableTrial.deadLetters(shop)).containsExactly(letter);
                }));
    }

    /** Connections that do not commit by themselves roll back what nothing commits. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCallOfAProcessThatIsGoneIsTakenOver(boolean isAutoCommit) {
        node(TestPostgres.database(), "shop")
                .withBean(Shipments.class, Shipments::new)
                .withPropertyValues("spring.datasource.hikari.auto-commit=" + isAutoCommit)
                .run(shop -> {
                    shop.getBean(DurableLifecycle.class).stop();
                    shop.getBean(Shipments.class).ship("1");
                    DurableTrial.store(shop)
                            .writeSingle(() -> DurableTrial.store(shop)
                                    .jdbc()
                                    .sql("update retryon_call set picked = true, picked_by = 'gone',"
                                            + " last_heartbeat = now() - interval '1 day'")
                                    .update());

                    shop.getBean(DurableLifecycle.class).start();

                    await().until(() -> DurableTrial.stored(shop) == 0);
                });
    }

    @Test
    void holdsOfAnotherApplicationAreLeftAlone(CapturedOutput output) {
        String url = TestPostgres.database();
        node(url, "shop").withBean(Shipments.class, Shipments::new).run(shop -> {
            DurableTrial.store(shop)
                    .jdbc()
                    .sql("insert into retryon_call (task_name, task_instance, task_data, execution_time, picked,"
                            + " picked_by, last_heartbeat, version) values ('billing', '1', '', now(), true, 'it',"
                            + " now() - interval '1 day', 1), ('shop', '2', '', now(), true, 'gone', now() -"
                            + " interval '1 day', 1)")
                    .update();
            // The own call is taken over, and is none.
            await().until(() -> DurableTrial.deadLetters(shop).size() == 1);
            await().during(Duration.ofSeconds(1)).until(() -> running(shop) == 1);
            assertThat(output).doesNotContain("Failed to find implementation");
            assertThat(List.of(DurableTrial.stored(shop))).containsExactly(1L);
        });
    }
}
