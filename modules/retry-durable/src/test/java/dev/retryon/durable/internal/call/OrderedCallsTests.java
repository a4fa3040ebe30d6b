// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.StoredCall.State.BLOCKED;
import static dev.retryon.durable.StoredCall.State.DEAD;
import static dev.retryon.durable.StoredCall.State.RUNNING;
import static dev.retryon.durable.StoredCall.State.WAITING;
import static dev.retryon.durable.WhenBlocked.CONTINUE;
import static dev.retryon.durable.WhenFailed.DELETE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.StoredCalls.Bulk;
import dev.retryon.durable.StoredCalls.Filter;
import dev.retryon.durable.StoredCalls.Summary;
import dev.retryon.durable.StoredCalls.Task;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.control.RuntimeSettings;
import dev.retryon.spring.module.RuntimeChange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.assertj.core.data.TemporalUnitOffset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** {@code orderKey}: calls of a key run one after another, in the order in which their transactions committed. */
class OrderedCallsTests {

    private static final String LONG = "x".repeat(10_000);

    private static final String KEY = "#text?.length() > 9 ? #text : #text?.charAt(0)";

    ApplicationContextRunner database() {
        return DurableTrial.inMemory().withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());
    }

    /** Whether other threads can write while a transaction does. */
    boolean writesConcurrently() {
        return true;
    }

    final ApplicationContextRunner application(int threads) {
        return application(database(), threads);
    }

    private static ApplicationContextRunner application(ApplicationContextRunner database, int threads) {
        return database.withPropertyValues(
                        "retryon.durable.threads=" + threads, "retryon.durable.lanes.slow.threads=" + threads)
                .withBean("partner", Partner.class)
                .withBean(Shipping.class);
    }

    static TransactionTemplate transaction(ApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    /** With its own thread. The common pool can have a single one. */
    static CompletableFuture<Void> caller(Runnable work) {
        return CompletableFuture.runAsync(work, task -> new Thread(task).start());
    }

    static void inTransaction(ApplicationContext context, Runnable work) {
        transaction(context).executeWithoutResult(status -> work.run());
    }

    static List<Summary> list(ApplicationContext context, StoredCall.State... states) {
        Filter filter = new Filter(Set.of(states), null, null, null, null, null, null);
        return context.getBean(StoredCalls.class).list(filter, null, 1000).calls();
    }

    private static void awaitEnd(ApplicationContext context) {
        await().until(() -> list(context, WAITING, RUNNING, BLOCKED).isEmpty());
    }

    @Test
    void aCallThatFailsBlocksThoseOfItsKeyOnly() {
        application(4).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            Partner partner = context.getBean(Partner.class);
            partner.down.add("a1");
            inTransaction(context, () -> Stream.of("a1", "a2", "b1", "b2").forEach(shipping::send));
            inTransaction(context, () -> Stream.of("a3", "b3").forEach(shipping::send));
            shipping.unordered("a4");

            await().until(() -> partner.sent.containsAll(List.of("b1", "b2", "b3", "a4")));
            assertThat(partner.sent).containsSubsequence("b1", "b2", "b3").doesNotContain("a1", "a2", "a3");
            partner.down.clear();
            awaitEnd(context);
            assertThat(partner.sent).containsSubsequence("a1", "a2", "a3").hasSize(7);
        });
    }

    @Test
    void aBlockedCallNamesTheFirstOneOfItsKey() {
        application(0).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            shipping.send("a1");
            shipping.send("b1");
            String first = list(context, WAITING).get(0).id();
            shipping.send("a2");
            shipping.send(LONG);
            shipping.send("a3");
            shipping.send(LONG);
            shipping.send(LONG + "y");

            List<Summary> blocked = list(context, BLOCKED);
            assertThat(blocked).hasSize(3).allMatch(call -> call.due() != null && call.diedAt() == null);
            StoredCalls calls = context.getBean(StoredCalls.class);
            assertThat(calls.find(blocked.get(0).id()).orElseThrow())
                    .returns(first, StoredCall::waitsFor)
                    .returns("{\"text\":\"a2\"}", StoredCall::arguments)
                    .returns(BLOCKED, StoredCall::state);
            assertThat(calls.find(first).orElseThrow().waitsFor()).isNull();
            assertThat(calls.count(Filter.of(BLOCKED))).isEqualTo(3);
            assertThat(calls.groups(Filter.of(BLOCKED), 10)).singleElement().returns(BLOCKED, StoredCalls.Group::state);
            assertThat(list(context))
                    .extracting(Summary::state)
                    .containsExactly(WAITING, WAITING, WAITING, WAITING, BLOCKED, BLOCKED, BLOCKED);
            CallStore.Blocked total = context.getBean(CallStore.class).blocked();
            assertThat(total.keys()).isEqualTo(2);
            assertThat(total.calls()).isEqualTo(3);
            assertThat(total.oldest()).isCloseTo(blocked.get(0).startedAt(), within(Duration.ofMillis(1)));

            assertThat(calls.giveUp(blocked.get(0).id(), null)).isFalse();
            assertThat(calls.runNow(blocked.get(0).id())).isFalse();
            assertThat(calls.resend(blocked.get(0).id())).isFalse();
            assertThat(calls.discard(blocked.get(0).id(), null)).isFalse();
            assertThat(list(context, BLOCKED)).hasSize(3);
        });
    }

    private static TemporalUnitOffset within(Duration time) {
        return Assertions.within(time.toMillis(), ChronoUnit.MILLIS);
    }

    @Test
    void aTransactionWaitsForTheEarlierOneOfItsKey() {
        if (!writesConcurrently()) {
            return;
        }
        application(2).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            Partner partner = context.getBean(Partner.class);
            List<CompletableFuture<Void>> second = new ArrayList<>();
            inTransaction(context, () -> {
                shipping.send("a1");
                second.add(caller(() -> inTransaction(context, () -> shipping.send("a2"))));
                CompletableFuture<Void> other = caller(() -> shipping.send("b1"));
                assertThat(other).succeedsWithin(Duration.ofSeconds(30));
                assertThat(second.get(0)).isNotDone();
                shipping.send("a3");
            });
            assertThat(second.get(0)).succeedsWithin(Duration.ofSeconds(30));

            awaitEnd(context);
            assertThat(partner.sent).containsSubsequence("a1", "a3", "a2").hasSize(4);
        });
    }

    @Test
    void aRollbackLeavesNoHole() {
        application(2).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            Partner partner = context.getBean(Partner.class);
            transaction(context).executeWithoutResult(status -> {
                shipping.send("a1");
                status.setRollbackOnly();
            });
            inTransaction(context, () -> {
                shipping.send("a2");
                TransactionTemplate nested = transaction(context);
                nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
                nested.executeWithoutResult(status -> {
                    shipping.send("a3");
                    shipping.send("b1");
                    status.setRollbackOnly();
                });
                shipping.send("b2");
                shipping.send("a4");
            });
            transaction(context).executeWithoutResult(status -> {
                shipping.send("a5");
                status.setRollbackOnly();
            });
            shipping.send("a6");

            awaitEnd(context);
            assertThat(partner.sent)
                    .containsSubsequence("a2", "a4", "a6")
                    .contains("b2")
                    .hasSize(4);
        });
    }

    /** The worker does not wait for the transaction. */
    @Test
    void theCallBeforeCanEndWhileATransactionIsOpen() {
        if (!writesConcurrently()) {
            return;
        }
        application(2).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            Partner partner = context.getBean(Partner.class);
            partner.down.add("a1");
            shipping.send("a1");
            inTransaction(context, () -> {
                shipping.send("a2");
                shipping.send("a3");
                partner.down.clear();
                await().until(() -> partner.sent.contains("a1"));
                await().until(() -> CompletableFuture.supplyAsync(
                                () -> list(context).isEmpty())
                        .join());
            });

            awaitEnd(context);
            assertThat(partner.sent).containsExactly("a1", "a2", "a3");
        });
    }

    @Test
    void aDeadCallBlocksUntilItIsResent() {
        application(2).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            Partner partner = context.getBean(Partner.class);
            StoredCalls calls = context.getBean(StoredCalls.class);
            String dead = dead(context, "a1");
            shipping.send("a2");
            shipping.send("b1");
            await().until(() -> partner.sent.contains("b1"));
            Summary blocked = list(context, BLOCKED).get(0);
            assertThat(calls.find(blocked.id()).orElseThrow().waitsFor()).isEqualTo(dead);

            partner.refused.clear();
            assertThat(calls.resend(dead)).isTrue();
            awaitEnd(context);
            assertThat(partner.sent).containsExactly("b1", "a1", "a2");
            shipping.send("a3");
            awaitEnd(context);
            assertThat(partner.sent).endsWith("a3");
        });
    }

    private static String dead(ApplicationContext context, String text) {
        Shipping shipping = context.getBean(Shipping.class);
        Partner partner = context.getBean(Partner.class);
        partner.refused.add(text);
        shipping.send(text);
        await().until(() -> !list(context, DEAD).isEmpty());
        return list(context, DEAD).get(0).id();
    }

    @Test
    void aDiscardedCallBlocksNoLonger() {
        application(2).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            Partner partner = context.getBean(Partner.class);
            String dead = dead(context, "a1");
            shipping.send("a2");
            shipping.send("a3");
            assertThat(list(context, BLOCKED)).hasSize(2);

            assertThat(context.getBean(StoredCalls.class).discard(dead, "not needed"))
                    .isTrue();
            awaitEnd(context);
            assertThat(partner.sent).containsExactly("a2", "a3");
        });
    }

    @Test
    void aDeletedCallBlocksNoLonger() {
        application(2).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            Partner partner = context.getBean(Partner.class);
            dead(context, "a1");
            shipping.send("a2");
            assertThat(list(context, BLOCKED)).hasSize(1);

            assertThat(context.getBean(CallStore.class).delete(Instant.now().plusSeconds(1), Long.MAX_VALUE))
                    .isOne();
            awaitEnd(context);
            assertThat(partner.sent).containsExactly("a2");
        });
    }

    @Test
    void aCallThatIsGivenUpBlocks() {
        application(0).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            StoredCalls calls = context.getBean(StoredCalls.class);
            shipping.send("a1");
            shipping.send("a2");
            String first = list(context, WAITING).get(0).id();
            assertThat(calls.giveUp(first, null)).isTrue();
            assertThat(list(context, DEAD, WAITING, BLOCKED))
                    .extracting(Summary::state)
                    .containsExactly(DEAD, BLOCKED);
            assertThat(calls.discard(first, null)).isTrue();
            assertThat(list(context, WAITING, BLOCKED))
                    .extracting(Summary::state)
                    .containsExactly(WAITING);

            shipping.track("c1");
            shipping.track("c2");
            assertThat(calls.giveUp(list(context, WAITING).get(1).id(), null)).isTrue();
            assertThat(list(context, WAITING, BLOCKED))
                    .extracting(Summary::state)
                    .containsExactly(WAITING, WAITING);
        });
    }

    @Test
    void theNextCallRunsIfItsMethodContinues() {
        application(2).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            Partner partner = context.getBean(Partner.class);
            partner.refused.add("a1");
            inTransaction(context, () -> Stream.of("a1", "a2").forEach(shipping::track));
            awaitEnd(context);
            assertThat(partner.sent).containsExactly("a2");

            partner.refused.clear();
            partner.down.add("a3");
            shipping.track("a3");
            assertThat(context.getBean(StoredCalls.class)
                            .resend(list(context, DEAD).get(0).id()))
                    .isTrue();
            await().until(() -> partner.sent.contains("a1"));
            partner.down.clear();
            awaitEnd(context);
            assertThat(partner.sent).containsExactly("a2", "a1", "a3");
        });
    }

    @Test
    void aCallWithoutAKeyFails() {
        application(0).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> inTransaction(context, () -> {
                        shipping.send("a1");
                        shipping.send(null);
                    }))
                    .withMessageContaining(
                            "a call of Shipping.send is not stored, because its orderKey '" + KEY + "' is null");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> inTransaction(context, () -> {
                        shipping.send("a1");
                        shipping.send("");
                    }))
                    .withMessageContaining("failed")
                    .havingCause();
            assertThat(list(context)).isEmpty();
        });
    }

    @Test
    void aKeyWithoutItsOwnTextFails() {
        application(0).run(context -> {
            Parcel parcel = new Parcel();
            Stream.of(
                            parcel,
                            new Box(1),
                            List.of("a", parcel),
                            new Object[] {parcel},
                            Map.of("a", parcel),
                            Optional.of(parcel))
                    .forEach(key -> assertThatIllegalArgumentException()
                            .as("%s", key)
                            .isThrownBy(() -> weigh(context, key))
                            .withMessageContaining("failed")
                            .havingCause()
                            .withMessageMatching(".*\\$(Parcel|Box) does not override toString.*"));
            assertThat(list(context)).isEmpty();
        });
    }

    private static void weigh(ApplicationContext context, Object key) {
        List<Object> keys = context.getBean(Partner.class).keys;
        keys.add(key);
        context.getBean(Shipping.class).weigh(keys.size() - 1);
    }

    @Test
    void equalKeysAreOneKeyWhateverTheirType() {
        application(0).run(context -> {
            Set<String> forwards = new LinkedHashSet<>(List.of("a", "b", "c"));
            Set<String> backwards = new LinkedHashSet<>(List.of("c", "b", "a"));
            Map<String, Integer> some = new LinkedHashMap<>(Map.of("a", 1));
            some.put("b", 2);
            Map<String, Integer> same = new LinkedHashMap<>(Map.of("b", 2));
            same.put("a", 1);
            List<List<Object>> equal = List.of(
                    List.of(forwards, backwards),
                    List.of(some, same),
                    List.of(List.of(forwards), List.of(backwards)),
                    List.of(Optional.of(some), Optional.of(same)),
                    List.of(new int[] {1, 2}, new int[] {1, 2}),
                    List.of(new Object[] {"a", new byte[] {1}}, new Object[] {"a", new byte[] {1}}),
                    List.of(BLOCKED, BLOCKED),
                    List.of(new BigDecimal("1.50"), new BigDecimal("1.50")));
            equal.forEach(keys -> keys.forEach(key -> weigh(context, key)));
            assertThat(list(context, WAITING)).hasSize(equal.size());
            assertThat(list(context, BLOCKED)).hasSize(equal.size());

            // Databases compare texts like these as equal.
            Stream.of("key", "Key", "key ", "k\u00E9y", "ke\u0301y", "key\u0000", "key\uD83D\uDE00", "")
                    .forEach(key -> weigh(context, key));
            Stream.of(List.of("a, b", "c"), List.of("a", "b, c"), Map.of("a=b", "c"), Map.of("a", "b=c"))
                    .forEach(key -> weigh(context, key));
            assertThat(list(context, BLOCKED)).hasSize(equal.size());
        });
    }

    @Test
    void methodsOfAGroupShareTheirKeysInAllLanes() {
        application(2).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            Partner partner = context.getBean(Partner.class);
            partner.down.add("a1");
            shipping.place("a1");
            shipping.pay("a2");
            shipping.place("a3");
            shipping.send("a4");
            await().until(() -> partner.sent.contains("a4"));
            assertThat(list(context, BLOCKED)).hasSize(2);
            partner.down.clear();

            awaitEnd(context);
            assertThat(partner.sent).containsExactly("a4", "a1", "a2", "a3");
        });
    }

    @Test
    void callsBehindAnInitialDelayWait() {
        application(2).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            Partner partner = context.getBean(Partner.class);
            shipping.remind("a1");
            shipping.place("a2");
            assertThat(list(context, BLOCKED)).hasSize(1);
            assertThat(context.getBean(StoredCalls.class)
                            .runNow(list(context, WAITING).get(0).id()))
                    .isTrue();

            awaitEnd(context);
            assertThat(partner.sent).containsExactly("a1", "a2");
        });
    }

    @Test
    void aPausedCallBlocksThoseOfOtherMethods() {
        application(2).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            Partner partner = context.getBean(Partner.class);
            RuntimeSettings settings = context.getBean(RuntimeSettings.class);
            RuntimeChange.Target place = new RuntimeChange.Target(RuntimeChange.Scope.NAME, "Shipping.place", false);
            settings.change(place, Map.of("paused", "true"), null, "operator");
            shipping.place("a1");
            shipping.pay("a2");
            shipping.pay("b1");
            await().until(() -> partner.sent.contains("b1"));
            assertThat(list(context, BLOCKED)).hasSize(1);
            assertThat(settings.takeBack(place, null)).isTrue();
            awaitEnd(context);
            assertThat(partner.sent).containsExactly("b1", "a1", "a2");
        });
    }

    @Test
    void actsOnManyCallsLeaveBlockedOnesAlone() {
        application(0).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            Stream.of("a1", "a2", "b1").forEach(shipping::send);
            StoredCalls calls = context.getBean(StoredCalls.class);
            Bulk bulk = Bulk.confirmed(Bulk.MAX_PER_SECOND);
            Task now = calls.runAllNow(Filter.ALL, bulk);
            await().until(() -> now.state() != Task.State.RUNNING);
            assertThat(now.moved()).isEqualTo(2);
            Task given = calls.giveUpAll(Filter.ALL, null, bulk);
            await().until(() -> given.state() != Task.State.RUNNING);
            assertThat(given.moved()).isEqualTo(2);
            assertThat(list(context)).extracting(Summary::state).containsExactly(DEAD, DEAD, BLOCKED);
            Task discarded = calls.discardAll(Filter.ALL, null, bulk);
            await().until(() -> discarded.state() != Task.State.RUNNING);
            assertThat(list(context, WAITING, BLOCKED))
                    .extracting(Summary::state)
                    .containsExactly(WAITING);
        });
    }

    /** More keys than the calls that a task reads at once. */
    @Test
    void aTaskLeavesCallsAloneThatItUnblocks() {
        application(0).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            inTransaction(
                    context,
                    () -> IntStream.range(0, 3)
                            .forEach(call -> IntStream.range('a', 'a' + 120)
                                    .forEach(key -> shipping.track((char) key + "" + call))));
            StoredCalls calls = context.getBean(StoredCalls.class);
            Task counted = calls.giveUpAll(Filter.ALL, null, Bulk.dry());
            assertThat(counted.matched()).isEqualTo(120);

            Task given = calls.giveUpAll(
                    Filter.ALL.withTimes(null, counted.before()), null, Bulk.confirmed(Bulk.MAX_PER_SECOND));
            await().until(() -> given.state() != Task.State.RUNNING);

            assertThat(given.moved()).isEqualTo(120);
            assertThat(list(context, WAITING)).hasSize(120);
            assertThat(list(context, BLOCKED)).hasSize(120);
        });
    }

    @Test
    void blockedCallsDoNotCountForALimit() {
        application(0)
                .withPropertyValues("retryon.durable.lanes.slow.max-waiting=2")
                .run(context -> {
                    Shipping shipping = context.getBean(Shipping.class);
                    Stream.of("a1", "a2", "a3", "b1").forEach(shipping::pay);
                    assertThat(list(context, BLOCKED)).hasSize(2);
                    assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> shipping.pay("c1"));
                });
    }

    @Test
    void blockedCallsDoNotUseTheRateOfTheirLane() {
        application(2)
                .withPropertyValues("retryon.durable.lanes.slow.max-per-second=0.001")
                .run(context -> {
                    Shipping shipping = context.getBean(Shipping.class);
                    Partner partner = context.getBean(Partner.class);
                    partner.down.add("a1");
                    shipping.place("a1");
                    shipping.pay("a2");
                    shipping.pay("b1");
                    await().until(() -> partner.sent.contains("b1"));
                    partner.down.clear();

                    await().until(() -> list(context, BLOCKED).isEmpty());
                    await().during(Duration.ofMillis(300))
                            .until(() -> list(context).size() == 1);
                    assertThat(partner.sent).containsExactly("b1", "a1");
                });
    }

    @Test
    void aProbeIsTheFirstCallOfItsKey() {
        application(2)
                .withPropertyValues("retryon.durable.lanes.slow.probe=true")
                .run(context -> {
                    Shipping shipping = context.getBean(Shipping.class);
                    Partner partner = context.getBean(Partner.class);
                    partner.down.add("a1");
                    Stream.of("a1", "a2").forEach(shipping::pay);
                    await().until(() -> stateOfSlowLane(context).equals("probing"));
                    assertThat(list(context, BLOCKED)).hasSize(1);
                    partner.down.clear();

                    awaitEnd(context);
                    assertThat(partner.sent).containsExactly("a1", "a2");
                    assertThat(stateOfSlowLane(context)).isEqualTo("open");
                });
    }

    private static String stateOfSlowLane(ApplicationContext context) {
        return context.getBean(DurableCalls.class).lanes().stream()
                .filter(lane -> lane.lane().equals("slow"))
                .findFirst()
                .orElseThrow()
                .state();
    }

    @Test
    void theNextCallRunsIfAFailedOneIsDeleted() {
        application(2).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            Partner partner = context.getBean(Partner.class);
            partner.refused.add("a1");
            inTransaction(context, () -> Stream.of("a1", "a2").forEach(shipping::report));
            awaitEnd(context);
            assertThat(partner.sent).containsExactly("a2");
            assertThat(list(context)).isEmpty();
        });
    }

    @Test
    void theNextCallRunsIfTheRetentionDeletesADeadOne() {
        ApplicationContextRunner database = database();
        application(database, 2).run(context -> {
            dead(context, "a1");
            context.getBean(Shipping.class).send("a2");
            assertThat(list(context, BLOCKED)).hasSize(1);
            context.getBean(Partner.class).refused.add("b1");
            context.getBean(Shipping.class).send("b1");
            await().until(() -> list(context, DEAD).size() == 2);
            application(database, 2)
                    .withPropertyValues("retryon.dead-letter.retention.max-count=1")
                    .run(OrderedCallsTests::awaitEnd);
            assertThat(list(context)).extracting(Summary::state).containsExactly(DEAD);
        });
    }

    @Test
    void aProcessWithoutThreadsStoresCallsInOrder() {
        ApplicationContextRunner database = database();
        application(database, 0)
                .run(storing -> application(database, 2).run(running -> {
                    Shipping shipping = storing.getBean(Shipping.class);
                    Partner partner = running.getBean(Partner.class);
                    partner.down.add("a1");
                    Stream.of("a1", "a2", "b1").forEach(shipping::send);
                    await().until(() -> partner.sent.contains("b1"));
                    assertThat(list(storing, BLOCKED)).hasSize(1);
                    partner.down.clear();

                    awaitEnd(storing);
                    assertThat(partner.sent).containsExactly("b1", "a1", "a2");
                    assertThat(storing.getBean(Partner.class).sent).isEmpty();
                }));
    }

    /** As a process that was frozen until its lease had expired. */
    @Test
    void aWorkerWithoutItsLeaseFinishesAfterTheNextCallAndChangesNothing() {
        ApplicationContextRunner database = database();
        application(database, 1)
                .withPropertyValues("retryon.durable.heartbeat-interval=1h")
                .run(frozen -> {
                    Partner late = frozen.getBean(Partner.class);
                    CountDownLatch gate = new CountDownLatch(1);
                    late.held.put("a1", gate);
                    Stream.of("a1", "a2").forEach(frozen.getBean(Shipping.class)::send);
                    await().until(() -> !list(frozen, RUNNING).isEmpty());
                    application(database, 2)
                            .withPropertyValues("retryon.durable.heartbeat-interval=250ms")
                            .run(running -> {
                                Partner partner = running.getBean(Partner.class);
                                awaitEnd(running);
                                assertThat(partner.sent).containsExactly("a1", "a2");
                                Stream.of(partner, late).forEach(each -> each.down.add("a3"));
                                Stream.of("a3", "a4").forEach(running.getBean(Shipping.class)::send);
                                gate.countDown();
                                await().until(() -> late.sent.contains("a1"));
                                await().during(Duration.ofMillis(300))
                                        .until(() -> list(running, BLOCKED).size() == 1);
                                Stream.of(partner, late).forEach(each -> each.down.clear());
                                awaitEnd(running);
                                assertThat(Stream.concat(partner.sent.stream(), late.sent.stream()))
                                        .containsExactlyInAnyOrder("a1", "a2", "a1", "a3", "a4");
                            });
                });
    }

    @Test
    void propertiesSetTheKey() {
        application(2)
                .withPropertyValues(
                        "retryon.methods[" + Shipping.class.getName() + "#unordered].durable.order-key=#p0.charAt(0)",
                        "retryon.methods[" + Shipping.class.getName() + "#unordered].durable.order-group=g",
                        "retryon.methods[" + Shipping.class.getName() + "#unordered].durable.when-blocked=continue")
                .run(context -> {
                    Shipping shipping = context.getBean(Shipping.class);
                    Partner partner = context.getBean(Partner.class);
                    partner.down.add("a1");
                    Stream.of("a1", "a2", "b1").forEach(shipping::unordered);
                    await().until(() -> partner.sent.contains("b1"));
                    assertThat(list(context, BLOCKED)).hasSize(1);
                    partner.refused.add("a1");
                    partner.down.clear();
                    awaitEnd(context);
                    assertThat(partner.sent).containsExactly("b1", "a2");
                });
    }

    @Test
    void keysWithoutCallsAreForgotten() {
        application(0).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            RetryStore store = DurableTrial.store(context);
            shipping.send("a1");
            transaction(context).executeWithoutResult(status -> {
                shipping.send("b1");
                status.setRollbackOnly();
            });
            shipping.send("b1");
            String second = list(context, WAITING).get(1).id();
            StoredCalls calls = context.getBean(StoredCalls.class);
            assertThat(calls.giveUp(second, null)).isTrue();
            assertThat(calls.discard(second, null)).isTrue();
            store.lines().repair();
            assertThat(keys(store)).isEqualTo(2);
            store.template().update("update " + RetryStore.ORDERS + " set used_at = 0");
            store.lines().repair();
            assertThat(keys(store)).isOne();

            shipping.send("a2");
            shipping.send("b2");
            assertThat(list(context, BLOCKED)).hasSize(1);
            assertThat(list(context, WAITING)).hasSize(2);
        });
    }

    @Test
    void aCallBehindADeletedRowRuns() {
        application(0).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            RetryStore store = DurableTrial.store(context);
            Stream.of("a1", "a2", "a3").forEach(shipping::send);
            List<StoredCalls.Summary> blocked = list(context, BLOCKED);
            store.lines().repair();
            assertThat(list(context, BLOCKED)).isEqualTo(blocked);

            String first = list(context, WAITING).get(0).id();
            store.template().update("delete from " + RetryStore.CALLS + " where task_instance = ?", first);
            store.lines().repair();
            assertThat(list(context, BLOCKED)).hasSize(1);
            assertThat(list(context, WAITING)).hasSize(1);
        });
    }

    private static long keys(RetryStore store) {
        return store.jdbc()
                .sql("select count(*) from " + RetryStore.ORDERS)
                .query(Long.class)
                .single();
    }

    /** Each transaction notes its calls while it has locked their key, so the notes are in the order of commits. */
    @Test
    void manyTransactionsKeepTheOrderOfTheirCommits() {
        application(4).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            Partner partner = context.getBean(Partner.class);
            partner.isFlaky = true;
            Map<String, List<String>> committed = new ConcurrentHashMap<>();
            AtomicInteger numbers = new AtomicInteger();
            List<CompletableFuture<Void>> callers = IntStream.range(0, 4)
                    .mapToObj(seed -> caller(() -> {
                        Random random = new Random(seed);
                        for (int i = 0; i < 40; i++) {
                            String key = String.valueOf((char) ('a' + random.nextInt(3)));
                            List<String> notes =
                                    committed.computeIfAbsent(key, missing -> new CopyOnWriteArrayList<>());
                            List<String> mine = new ArrayList<>();
                            boolean isRolledBack = random.nextInt(3) == 0;
                            transaction(context).executeWithoutResult(status -> {
                                for (int call = 0; call <= random.nextInt(3); call++) {
                                    String text = key + numbers.incrementAndGet();
                                    shipping.send(text);
                                    notes.add(text);
                                    mine.add(text);
                                }
                                if (isRolledBack) {
                                    status.setRollbackOnly();
                                }
                            });
                            if (isRolledBack) {
                                notes.removeAll(mine);
                            }
                        }
                    }))
                    .toList();
            assertThat(callers).allSatisfy(caller -> assertThat(caller).succeedsWithin(Duration.ofSeconds(120)));
            awaitEnd(context);

            committed.forEach((key, notes) -> assertThat(partner.sent.stream().filter(text -> text.startsWith(key)))
                    .containsExactlyElementsOf(notes));
            assertThat(list(context)).isEmpty();
        });
    }

    static class Partner {

        /** Calls that fail and are retried. */
        final List<String> down = new CopyOnWriteArrayList<>();

        /** Calls that fail permanently. */
        final List<String> refused = new CopyOnWriteArrayList<>();

        final List<String> sent = Collections.synchronizedList(new ArrayList<>());

        /** Order keys, which an expression selects. */
        public final List<Object> keys = new CopyOnWriteArrayList<>();

        /** Calls that wait. */
        final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();

        /** Whether one of five attempts fails. */
        volatile boolean isFlaky;

        private final AtomicInteger attempts = new AtomicInteger();

        void take(String text) {
            if (refused.contains(text)) {
                throw new IllegalStateException("refused");
            }
            waitFor(held.get(text));
            if (down.contains(text) || (isFlaky && attempts.incrementAndGet() % 5 == 0)) {
                throw new UncheckedIOException(new IOException("down"));
            }
            sent.add(text);
        }

        private static void waitFor(@Nullable CountDownLatch gate) {
            try {
                if (gate != null) {
                    gate.await();
                }
            } catch (InterruptedException ex) {
                throw new IllegalStateException(ex);
            }
        }
    }

    static class Parcel {}

    /** The text that it inherits depends on its hash, which other values can have, too. */
    static class Box {

        private final int weight;

        Box(int weight) {
            this.weight = weight;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Box that && that.weight == weight;
        }

        @Override
        public int hashCode() {
            return weight % 10;
        }
    }

    static class Shipping {

        private final Partner partner;

        Shipping(Partner partner) {
            this.partner = partner;
        }

        @RetryOn(exceptions = UncheckedIOException.class, maxAttempts = 1000, delay = "5ms")
        @Durable(value = OUTBOX, orderKey = KEY)
        public void send(@Nullable String text) {
            partner.take(String.valueOf(text));
        }

        @RetryOn(exceptions = UncheckedIOException.class, maxAttempts = 1000, delay = "5ms")
        @Durable(value = OUTBOX, orderKey = "#text.charAt(0)", whenBlocked = CONTINUE)
        public void track(String text) {
            partner.take(text);
        }

        @RetryOn(exceptions = UncheckedIOException.class, maxAttempts = 1000, delay = "5ms")
        @Durable(value = OUTBOX, orderKey = "#text.charAt(0)", whenFailed = DELETE)
        public void report(String text) {
            partner.take(text);
        }

        @RetryOn(exceptions = UncheckedIOException.class, maxAttempts = 1000, delay = "5ms")
        @Durable(value = OUTBOX, orderKey = "#text.charAt(0)", orderGroup = "orders")
        public void place(String text) {
            partner.take(text);
        }

        @RetryOn(UncheckedIOException.class)
        @Durable(value = OUTBOX, orderKey = "@partner.keys[#number]")
        public void weigh(int number) {
            partner.take(String.valueOf(number));
        }

        @RetryOn(exceptions = UncheckedIOException.class, maxAttempts = 1000, delay = "5ms")
        @Durable(value = OUTBOX, orderKey = "#text.charAt(0)", orderGroup = "orders", lane = "slow")
        public void pay(String text) {
            partner.take(text);
        }

        @Durable(value = OUTBOX, orderKey = "#text.charAt(0)", orderGroup = "orders", initialDelay = "1h")
        public void remind(String text) {
            partner.take(text);
        }

        @RetryOn(exceptions = UncheckedIOException.class, maxAttempts = 1000, delay = "5ms")
        @Durable(OUTBOX)
        public void unordered(String text) {
            partner.take(text);
        }
    }
}
