// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import dev.retryon.StopReason;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCall.Action;
import dev.retryon.durable.StoredCall.Action.What;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.letter.Letters;
import dev.retryon.test.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every store of dead letters does, in memory or in a database. */
public abstract class CallStoreContract {

    static final Instant START = VirtualTime.START;

    private CallStore store;

    /** A store without dead letters. */
    protected abstract CallStore create() throws Exception;

    @BeforeEach
    void open() throws Exception {
        store = create();
    }

    @Test
    void keepsAllThatIsKnown() {
        DeadLetter letter = new DeadLetter(
                "the-id",
                "Mails.send",
                "com.acme.Mails#send(java.lang.String)",
                "mails",
                "[\"ä \ud83d\ude00 \\u0000 \\n\"]",
                "mail.down",
                "java.io.IOException",
                "line one\nline two \"quoted\" ' ü \ud83d\ude00",
                "trace\n\tat x",
                List.of(
                        new StoredCall.Failure(1, null, null, null),
                        new StoredCall.Failure(2, "java.io.IOException", "a \"b\" \\ \t ü", START)),
                2,
                StopReason.EXHAUSTED,
                START.minusSeconds(5),
                START,
                State.DEAD,
                "default",
                "the-trace",
                null,
                List.of(new Action(START, "alice", What.RESENT, null)));

        store.put(letter);

        assertThat(store.died("the-id")).contains(letter);
    }

    @Test
    void keepsACallOfWhichLittleIsKnown() {
        DeadLetter letter = new DeadLetter(
                "bare",
                "x",
                "x",
                null,
                null,
                null,
                null,
                null,
                null,
                List.of(),
                1,
                StopReason.FAIL,
                START,
                START,
                State.DEAD,
                "default",
                null,
                null,
                List.of());

        store.put(letter);

        assertThat(store.died("bare")).contains(letter);
        assertThat(store.died("other")).isEmpty();
    }

    @Test
    void keepsTextsThatAreOddOrLong() {
        DeadLetter odd = letter("odd", 0);
        store.put(new DeadLetter(
                "odd",
                "n".repeat(255),
                odd.method(),
                odd.bean(),
                "[\"" + "x".repeat(65_000) + "\"]",
                "c".repeat(400),
                "t".repeat(600),
                "nul " + (char) 0 + " end",
                "s".repeat(16_385),
                odd.failures(),
                1,
                odd.reason(),
                START,
                START,
                odd.state(),
                odd.lane(),
                "i".repeat(150),
                null,
                odd.actions()));

        DeadLetter kept = store.died("odd").orElseThrow();

        assertThat(kept.arguments()).hasSize(65_004);
        assertThat(kept.stackTrace()).hasSize(16_385);
        assertThat(kept.errorMessage()).startsWith("nul ").endsWith(" end");
        assertThat(ids(filter(Set.of(), null, null, "NUL " + (char) 0, null, null)))
                .containsExactly("odd");
    }

    /** A key that is cut would lead to no method any more. */
    @Test
    void keepsTheKeyTheBeanAndTheArgumentsWholeHoweverLongTheyAre() {
        String key = "com.acme.Mails#send(" + "a".repeat(10_000) + ")";
        String bean = "b".repeat(1_000);
        String arguments = "[\"" + "x".repeat(200_000) + "\"]";
        store.put(named("long", "n".repeat(1_000), key, bean, arguments, "message"));

        DeadLetter kept = store.died("long").orElseThrow();

        assertThat(kept.method()).isEqualTo(key);
        assertThat(kept.bean()).isEqualTo(bean);
        assertThat(kept.arguments()).isEqualTo(arguments);
        assertThat(store.count(new StoredCalls.Filter(Set.of(), "n".repeat(1_000), null, null, null, null, null)))
                .isOne();
    }

    @ParameterizedTest
    @ValueSource(strings = {"nul \u0000 end", "half \uD83D", "\uDE00 half"})
    void noCharacterKeepsACallFromBeingKept(String odd) {
        String cutWithin = "n".repeat(254) + "\uD83D\uDE00";

        store.put(named("odd", odd, odd, odd, odd, odd));
        store.put(named("cut", cutWithin, cutWithin, cutWithin, cutWithin, cutWithin));

        assertThat(store.died("odd").orElseThrow().method()).contains(odd.contains("end") ? "end" : "half");
        assertThat(store.died("cut").orElseThrow().method()).isEqualTo(cutWithin);
    }

    private static DeadLetter named(
            String id, String name, String method, String bean, String arguments, String message) {
        return new DeadLetter(
                id,
                name,
                method,
                bean,
                arguments,
                message,
                message,
                message,
                message,
                List.of(new StoredCall.Failure(1, message, message, START)),
                1,
                StopReason.EXHAUSTED,
                START,
                START,
                State.DEAD,
                "default",
                message,
                message,
                List.of(new Action(START, message, What.DIED, message)));
    }

    @Test
    void aCallThatDiesAgainKeepsBothHistories() {
        store.put(letter("a", 0));
        resend(store, "a", "alice");
        DeadLetter again = new DeadLetter(
                "a",
                "Mails.send",
                "m",
                null,
                null,
                null,
                "java.lang.Error",
                "worse",
                null,
                List.of(new StoredCall.Failure(1, "java.lang.Error", "worse", START)),
                1,
                StopReason.TIMEOUT,
                START,
                START.plusSeconds(9),
                State.DEAD,
                "default",
                null,
                null,
                List.of());

        store.put(again);

        DeadLetter kept = store.died("a").orElseThrow();
        assertThat(kept.state()).isEqualTo(State.DEAD);
        assertThat(kept.failures()).hasSize(2);
        assertThat(kept.errorMessage()).isEqualTo("worse");
        assertThat(kept.reason()).isEqualTo(StopReason.TIMEOUT);
        assertThat(kept.arguments()).isEqualTo("[\"a\"]");
        assertThat(kept.diedAt()).isEqualTo(START.plusSeconds(9));
        assertThat(kept.actions()).extracting(Action::by).containsExactly("alice");
        assertThat(store.count(StoredCalls.Filter.ALL)).isEqualTo(1);
    }

    @Test
    void listsInPagesTheNewestFirst() {
        for (int i = 0; i < 25; i++) {
            store.put(letter(String.format("id-%02d", i), i / 5)); // five died in each second
        }
        List<String> listed = new ArrayList<>();
        String cursor = null;
        int pages = 0;
        do {
            StoredCalls.Page page = store.list(StoredCalls.Filter.of(State.DEAD), cursor, 10);
            page.calls().forEach(letter -> listed.add(letter.id()));
            cursor = page.next();
            pages++;
            // What leaves the list moves no page.
            discard(page.calls().get(0).id());
        } while (cursor != null);

        assertThat(pages).isEqualTo(3);
        assertThat(listed).hasSize(25).doesNotHaveDuplicates();
        assertThat(listed.get(0)).isEqualTo("id-24");
        assertThat(listed.get(24)).isEqualTo("id-00");
    }

    @Test
    void aListShowsTheSummaryOfEachLetter() {
        DeadLetter letter = letter("a", 0);
        store.put(letter);

        assertThat(store.list(StoredCalls.Filter.ALL, null, 10).calls())
                .containsExactly(new StoredCalls.Summary(
                        "a",
                        "Mails.send",
                        State.DEAD,
                        StopReason.EXHAUSTED,
                        "java.io.IOException",
                        "down",
                        "default",
                        1,
                        START,
                        null,
                        START));
    }

    @Test
    void noTextHasArgumentsOrMessages() {
        DeadLetter letter = letter("a", "[\"secret\"]"); // with the message "down"
        store.put(letter);
        StoredCalls.Page page = store.list(StoredCalls.Filter.ALL, null, 1);

        assertThat(List.of(
                        store,
                        letter,
                        page,
                        page.calls().get(0),
                        store.groups(StoredCalls.Filter.ALL, 1),
                        store.totals()))
                .extracting(Object::toString)
                .noneMatch(text -> text.contains("secret") || text.contains("down"));
    }

    @Test
    void aFullPageThatIsTheLastNamesNoOther() {
        store.put(letter("a", 0));
        store.put(letter("b", 1));

        assertThat(store.list(StoredCalls.Filter.ALL, null, 2).next()).isNull();
        assertThat(store.list(StoredCalls.Filter.ALL, null, 1).next()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "_", "x_y", "1", "' or 1=1 --"})
    void aCursorThatNoPageHasNamedIsRefused(String cursor) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.list(StoredCalls.Filter.ALL, cursor, 10))
                .withMessageContaining("cursor is '" + cursor + "'");
    }

    @Test
    void aPageHasAtLeastOne() {
        assertThatIllegalArgumentException().isThrownBy(() -> store.list(StoredCalls.Filter.ALL, null, 0));
    }

    @Test
    void filtersByEverythingAtOnce() {
        store.put(letter("a", 0));
        store.put(letter("b", 1));
        store.put(new DeadLetter(
                "c_1%!",
                "Orders.place",
                "com.acme.Orders#place()",
                null,
                "[]",
                null,
                "java.lang.Error",
                "50% off",
                null,
                List.of(),
                1,
                StopReason.FAIL,
                START,
                START.plusSeconds(2),
                State.DEAD,
                "default",
                null,
                null,
                List.of()));
        discard("b");

        assertThat(ids(filter(Set.of(State.DEAD), null, null, null, null, null)))
                .containsExactly("c_1%!", "a");
        assertThat(ids(filter(Set.of(State.DISCARDED, State.RESOLVED), null, null, null, null, null)))
                .containsExactly("b");
        assertThat(ids(filter(Set.of(), "Orders.place", null, null, null, null)))
                .containsExactly("c_1%!");
        assertThat(ids(filter(Set.of(), null, "java.io.IOException", null, null, null)))
                .containsExactly("a", "b");
        assertThat(ids(filter(Set.of(), null, null, "ACME.ORDERS", null, null))).containsExactly("c_1%!");
        assertThat(ids(filter(Set.of(), null, null, "50% o", null, null))).containsExactly("c_1%!");
        assertThat(ids(filter(Set.of(), null, null, "%", null, null))).containsExactly("c_1%!");
        assertThat(ids(filter(Set.of(), null, null, "c_1%!", null, null))).containsExactly("c_1%!");
        assertThat(ids(filter(Set.of(), null, null, "c-1", null, null))).isEmpty();
        assertThat(ids(filter(Set.of(), null, null, "' or 1=1 --", null, null))).isEmpty();
        assertThat(ids(filter(Set.of(), null, null, null, START.plusSeconds(1), null)))
                .containsExactly("c_1%!", "b");
        assertThat(ids(filter(Set.of(), null, null, null, null, START.plusSeconds(1))))
                .containsExactly("a");
        assertThat(ids(filter(Set.of(), null, null, null, null, START.plusNanos(1))))
                .containsExactly("a");
        assertThat(ids(filter(Set.of(), null, null, null, START.plusNanos(1), null)))
                .containsExactly("c_1%!", "b");
        assertThat(ids(filter(Set.of(), null, null, null, Instant.MIN, Instant.MAX)))
                .hasSize(3);
        assertThat(store.count(filter(Set.of(), "Orders.place", "java.lang.Error", "off", START, Instant.MAX)))
                .isEqualTo(1);
    }

    @Test
    void groupsByNameAndError() {
        store.put(letter("a", 0));
        store.put(letter("b", 7));
        store.put(new DeadLetter(
                "c",
                "Orders.place",
                "m",
                null,
                "[]",
                null,
                null,
                null,
                null,
                List.of(),
                1,
                StopReason.EXHAUSTED,
                START,
                START,
                State.DEAD,
                "default",
                null,
                null,
                List.of()));

        assertThat(store.groups(StoredCalls.Filter.ALL, 10))
                .containsExactly(
                        new StoredCalls.Group(
                                "Mails.send", "java.io.IOException", State.DEAD, 2, START, START.plusSeconds(7), null),
                        new StoredCalls.Group("Orders.place", null, State.DEAD, 1, START, START, null));
        assertThat(store.groups(StoredCalls.Filter.ALL, 1)).hasSize(1);
        assertThat(store.groups(StoredCalls.Filter.of(State.RESOLVED), 1)).isEmpty();
    }

    @Test
    void onlyACallThatIsDeadIsResentOrDiscarded() {
        store.put(letter("resent", 0));
        store.put(letter("discarded", 0));
        assertThat(resend(store, "resent", "alice")).isTrue();
        assertThat(discard("discarded")).isTrue();

        for (String id : List.of("resent", "discarded", "unknown")) {
            Optional<DeadLetter> before = store.died(id);
            assertThat(resend(store, id, "bob")).as(id).isFalse();
            assertThat(discard(id)).as(id).isFalse();
            assertThat(store.died(id)).isEqualTo(before);
        }
        assertThat(state("resent")).isEqualTo(State.WAITING);
        assertThat(state("discarded")).isEqualTo(State.DISCARDED);
        assertThat(store.died("resent").orElseThrow().actions())
                .containsExactly(new Action(START, "alice", What.RESENT, null));
    }

    @Test
    void aResentCallWaitsAndIsDeadAgainAfterwards() {
        store.put(letter("x", 0));
        resend(store, "x", "a");
        CallStore.Found waiting = store.find("x").orElseThrow();
        assertThat(waiting.state()).isEqualTo(State.WAITING);
        assertThat(waiting.summary().name()).isEqualTo("Renamed.send");
        assertThat(waiting.summary().lane()).isEqualTo("mail");
        assertThat(waiting.summary().diedAt()).isNull();
        assertThat(store.content("x", waiting.version(), 10)).isEqualTo(new byte[] {1});

        assertThat(store.die(waiting, letter("x", 1))).isTrue();

        assertThat(store.die(waiting, letter("x", 2))).isFalse();
        assertThat(state("x")).isEqualTo(State.DEAD);
        assertThat(store.died("x").orElseThrow().failures()).hasSize(2);
        assertThat(discard("x")).isTrue();
    }

    /** The node that tries to resend it finds that no node can run it. */
    @Test
    void aDeadCallThatCannotRunDiesOnlyIfNobodyHasResentIt() {
        store.put(letter("x", 0));
        CallStore.Found found = store.find("x").orElseThrow();
        assertThat(store.die(found, letter("x", 1))).isTrue();
        CallStore.Found again = store.find("x").orElseThrow();
        resend(store, "x", "a");
        assertThat(store.die(again, letter("x", 2))).isFalse();
        assertThat(state("x")).isEqualTo(State.WAITING);
    }

    @Test
    void aCallThatHasDiedKeepsItsLane() {
        store.put(letter("a", 0));
        store.put(inLane("b", "mail"));

        assertThat(ids(StoredCalls.Filter.of(State.DEAD).withLane("mail"))).containsExactly("b");
        assertThat(ids(StoredCalls.Filter.ALL.withLane("mail"))).containsExactly("b");
        assertThat(store.groups(StoredCalls.Filter.ALL.withLane("mail"), 5))
                .singleElement()
                .returns(1L, StoredCalls.Group::count);
        assertThat(store.list(StoredCalls.Filter.ALL, null, 5).calls())
                .extracting(StoredCalls.Summary::lane)
                .containsExactly("mail", "default");
    }

    private static DeadLetter inLane(String id, String lane) {
        DeadLetter letter = letter(id, 1);
        return new DeadLetter(
                id,
                letter.name(),
                letter.method(),
                letter.bean(),
                letter.arguments(),
                letter.errorCode(),
                letter.errorType(),
                letter.errorMessage(),
                letter.stackTrace(),
                letter.failures(),
                letter.attempts(),
                letter.reason(),
                letter.firstFailedAt(),
                letter.diedAt(),
                letter.state(),
                lane,
                letter.traceId(),
                letter.traceParent(),
                letter.actions());
    }

    @Test
    void deletesTheOldestButNothingThatIsBeingResent() {
        for (int i = 0; i < 10; i++) {
            store.put(letter("id-" + i, i));
        }
        resend(store, "id-0", null);
        discard("id-5");

        assertThat(store.delete(null, Long.MAX_VALUE)).isZero();
        assertThat(store.delete(START.plusSeconds(3), Long.MAX_VALUE)).isEqualTo(2); // 1 and 2
        assertThat(store.delete(null, 4)).isEqualTo(3); // the newest are 9, 8, 7, 6, and 0 is being resent
        assertThat(ids(StoredCalls.Filter.of(State.DEAD))).containsExactly("id-9", "id-8", "id-7", "id-6");
        assertThat(ids(StoredCalls.Filter.of(State.WAITING))).containsExactly("id-0");
        assertThat(store.delete(Instant.MAX, 0)).isEqualTo(4);
        assertThat(ids(StoredCalls.Filter.ALL)).containsExactly("id-0");
    }

    @Test
    void whoeverDeletesAtOnceDeletesNoMoreThanOneWould() throws Exception {
        int letters = 2500; // more than two batches
        int left = 100;
        int deleters = 4;
        for (int i = 0; i < letters; i++) {
            store.put(letter(String.format("id-%04d", i), i / 5)); // five died in each second
        }
        CyclicBarrier start = new CyclicBarrier(deleters);
        ExecutorService threads = Executors.newFixedThreadPool(deleters);
        try {
            List<Future<Integer>> results = new ArrayList<>();
            for (int i = 0; i < deleters; i++) {
                Callable<Integer> deleter = () -> {
                    start.await();
                    return store.delete(null, left);
                };
                results.add(threads.submit(deleter));
            }
            int deleted = 0;
            for (Future<Integer> result : results) {
                deleted += result.get();
            }
            assertThat(deleted).isEqualTo(letters - left);
        } finally {
            threads.shutdownNow();
        }
        assertThat(ids(StoredCalls.Filter.ALL))
                .hasSize(left)
                .startsWith("id-2499")
                .endsWith("id-2400");
    }

    @Test
    void countsByStatus() {
        assertThat(store.totals()).isEmpty();
        for (int i = 0; i < 6; i++) {
            store.put(letter("id-" + i, i));
        }
        discard("id-1");
        resend(store, "id-3", null);
        resend(store, "id-5", null);

        assertThat(store.totals())
                .containsExactlyInAnyOrder(
                        new CallStore.Total(State.DEAD, 3, START), // 0, 2 and 4
                        new CallStore.Total(State.DISCARDED, 1, START.plusSeconds(1)),
                        new CallStore.Total(State.WAITING, 2, START.plusSeconds(3)));
    }

    @Test
    void ofManyWhoMoveAtOnceOneDoes() throws Exception {
        int letters = 100;
        int movers = 8;
        for (int i = 0; i < letters; i++) {
            store.put(letter("id-" + i, i));
        }
        CyclicBarrier start = new CyclicBarrier(movers);
        ExecutorService threads = Executors.newFixedThreadPool(movers);
        try {
            List<Future<Integer>> results = new ArrayList<>();
            for (int i = 0; i < movers; i++) {
                String who = "mover " + i;
                Callable<Integer> mover = () -> {
                    start.await();
                    int moved = 0;
                    for (int j = 0; j < letters; j++) {
                        moved += resend(store, "id-" + j, who) ? 1 : 0;
                    }
                    return moved;
                };
                results.add(threads.submit(mover));
            }
            int moved = 0;
            for (Future<Integer> result : results) {
                moved += result.get();
            }
            assertThat(moved).isEqualTo(letters);
        } finally {
            threads.shutdownNow();
        }
        assertThat(store.list(StoredCalls.Filter.ALL, null, letters).calls())
                .allSatisfy(letter -> assertThat(
                                store.died(letter.id()).orElseThrow().actions())
                        .hasSize(1));
    }

    @Test
    void readsOnlyTheBeginningsOfCalls() {
        store.put(letter("dead", "[\"" + "ä".repeat(100_000) + "\"]"));
        store.put(letter("short", "[]"));
        store.put(letter("resent", "[]"));
        CallEngine.Label label = new CallEngine.Label("Mails.send", null, 0, START, "mail", "hash");
        byte[] content = ("{\"v\":1,\"x\":\"" + "x".repeat(100_000)).getBytes(StandardCharsets.UTF_8);
        store.resend(new Action(START, null, What.RESENT, null), "resent", content, label, START, null);

        assertThat(store.starts(List.of("dead", "short", "resent", "unknown"), 20))
                .extracting(
                        CallStore.Start::id,
                        CallStore.Start::content,
                        CallStore.Start::method,
                        CallStore.Start::arguments)
                .containsExactlyInAnyOrder(
                        tuple("dead", null, "com.acme.Mails#send(java.lang.String)", "[\"" + "ä".repeat(18)),
                        tuple("short", null, "com.acme.Mails#send(java.lang.String)", "[]"),
                        tuple("resent", "{\"v\":1,\"x\":\"xxxxxxxx", "com.acme.Mails#send(java.lang.String)", "[]"));
    }

    private static DeadLetter letter(String id, String arguments) {
        return Letters.letter(id, "com.acme.Mails#send(java.lang.String)", arguments, START);
    }

    /** Resends a call as one of a method that was renamed. */
    static boolean resend(CallStore store, String id, @Nullable String by) {
        CallEngine.Label label = new CallEngine.Label("Renamed.send", null, 0, START, "mail", "hash");
        return store.resend(new Action(START, by, What.RESENT, null), id, new byte[] {1}, label, START, null);
    }

    private boolean discard(String id) {
        return store.discard(id, new Action(START, null, What.DISCARDED, null));
    }

    private State state(String id) {
        return store.died(id).orElseThrow().state();
    }

    private List<String> ids(StoredCalls.Filter filter) {
        List<String> ids = store.list(filter, null, 100).calls().stream()
                .map(StoredCalls.Summary::id)
                .toList();
        assertThat(store.count(filter)).isEqualTo(ids.size());
        return ids;
    }

    private static StoredCalls.Filter filter(
            Set<State> statuses,
            @Nullable String name,
            @Nullable String errorType,
            @Nullable String text,
            @Nullable Instant from,
            @Nullable Instant before) {
        return new StoredCalls.Filter(statuses, name, errorType, null, text, from, before);
    }

    static DeadLetter letter(String id, int seconds) {
        return Letters.letter(id, "com.acme.Mails#send(java.lang.String)", "[\"a\"]", START.plusSeconds(seconds));
    }
}
