// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.retryon.StopReason;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetter.Action;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterSummary;
import dev.retryon.durable.DeadLetters;
import dev.retryon.durable.internal.engine.DeadLetterStore;
import dev.retryon.durable.internal.letter.Letters;
import dev.retryon.test.VirtualTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every store of dead letters does, in memory or in a database. */
abstract class DeadLetterStoreContract {

    static final Instant START = VirtualTime.START;

    private DeadLetterStore store;

    /** A store without dead letters. */
    abstract DeadLetterStore create() throws Exception;

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
                        new DeadLetter.Failure(1, null, null, null),
                        new DeadLetter.Failure(2, "java.io.IOException", "a \"b\" \\ \t ü", START)),
                2,
                StopReason.EXHAUSTED,
                START.minusSeconds(5),
                START,
                DeadLetterStatus.DEAD,
                "the-trace",
                null,
                List.of(new Action(START, "alice", DeadLetterStatus.RETRYING, null)));

        store.put(letter);

        assertThat(store.find("the-id")).contains(letter);
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
                DeadLetterStatus.DEAD,
                null,
                null,
                List.of());

        store.put(letter);

        assertThat(store.find("bare")).contains(letter);
        assertThat(store.find("other")).isEmpty();
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
                odd.status(),
                "i".repeat(150),
                null,
                odd.actions()));

        DeadLetter kept = store.find("odd").orElseThrow();

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

        DeadLetter kept = store.find("long").orElseThrow();

        assertThat(kept.method()).isEqualTo(key);
        assertThat(kept.bean()).isEqualTo(bean);
        assertThat(kept.arguments()).isEqualTo(arguments);
        assertThat(store.count(new DeadLetterFilter(Set.of(), "n".repeat(1_000), null, null, null, null)))
                .isOne();
    }

    @ParameterizedTest
    @ValueSource(strings = {"nul \u0000 end", "half \uD83D", "\uDE00 half"})
    void noCharacterKeepsACallFromBeingKept(String odd) {
        String cutWithin = "n".repeat(254) + "\uD83D\uDE00";

        store.put(named("odd", odd, odd, odd, odd, odd));
        store.put(named("cut", cutWithin, cutWithin, cutWithin, cutWithin, cutWithin));

        assertThat(store.find("odd").orElseThrow().method()).contains(odd.contains("end") ? "end" : "half");
        assertThat(store.find("cut").orElseThrow().method()).isEqualTo(cutWithin);
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
                List.of(new DeadLetter.Failure(1, message, message, START)),
                1,
                StopReason.EXHAUSTED,
                START,
                START,
                DeadLetterStatus.DEAD,
                message,
                message,
                List.of(new Action(START, message, DeadLetterStatus.DEAD, message)));
    }

    @Test
    void aCallThatDiesAgainKeepsBothHistories() {
        store.put(letter("a", 0));
        move("a", DeadLetterStatus.RETRYING, "alice");
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
                List.of(new DeadLetter.Failure(1, "java.lang.Error", "worse", START)),
                1,
                StopReason.TIMEOUT,
                START,
                START.plusSeconds(9),
                DeadLetterStatus.DEAD,
                null,
                null,
                List.of());

        store.put(again);

        DeadLetter kept = store.find("a").orElseThrow();
        assertThat(kept.status()).isEqualTo(DeadLetterStatus.DEAD);
        assertThat(kept.failures()).hasSize(2);
        assertThat(kept.errorMessage()).isEqualTo("worse");
        assertThat(kept.reason()).isEqualTo(StopReason.TIMEOUT);
        assertThat(kept.arguments()).isEqualTo("[\"a\"]");
        assertThat(kept.diedAt()).isEqualTo(START.plusSeconds(9));
        assertThat(kept.actions()).extracting(Action::by).containsExactly("alice");
        assertThat(store.count(DeadLetterFilter.ALL)).isEqualTo(1);
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
            DeadLetters.Page page = store.list(DeadLetterFilter.ALL, cursor, 10);
            page.letters().forEach(letter -> listed.add(letter.id()));
            cursor = page.next();
            pages++;
            // What leaves the list moves no page.
            store.move(page.letters().get(0).id(), DeadLetterStatus.DEAD, action(DeadLetterStatus.DISCARDED, null));
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

        assertThat(store.list(DeadLetterFilter.ALL, null, 10).letters()).containsExactly(DeadLetterSummary.of(letter));
    }

    @Test
    void aFullPageThatIsTheLastNamesNoOther() {
        store.put(letter("a", 0));
        store.put(letter("b", 1));

        assertThat(store.list(DeadLetterFilter.ALL, null, 2).next()).isNull();
        assertThat(store.list(DeadLetterFilter.ALL, null, 1).next()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "_", "x_y", "1", "' or 1=1 --"})
    void aCursorThatNoPageHasNamedIsRefused(String cursor) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.list(DeadLetterFilter.ALL, cursor, 10))
                .withMessageContaining("cursor is '" + cursor + "'");
    }

    @Test
    void aPageHasAtLeastOne() {
        assertThatIllegalArgumentException().isThrownBy(() -> store.list(DeadLetterFilter.ALL, null, 0));
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
                DeadLetterStatus.DEAD,
                null,
                null,
                List.of()));
        move("b", DeadLetterStatus.DISCARDED, null);

        assertThat(ids(filter(Set.of(DeadLetterStatus.DEAD), null, null, null, null, null)))
                .containsExactly("c_1%!", "a");
        assertThat(ids(filter(
                        Set.of(DeadLetterStatus.DISCARDED, DeadLetterStatus.RESOLVED), null, null, null, null, null)))
                .containsExactly("b");
        assertThat(ids(filter(Set.of(), "Orders.place", null, null, null, null)))
                .containsExactly("c_1%!");
        assertThat(ids(filter(Set.of(), null, "java.io.IOException", null, null, null)))
                .containsExactly("b", "a");
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
                DeadLetterStatus.DEAD,
                null,
                null,
                List.of()));

        assertThat(store.groups(DeadLetterFilter.ALL, 10))
                .containsExactly(
                        new DeadLetters.Group("Mails.send", "java.io.IOException", 2, START, START.plusSeconds(7)),
                        new DeadLetters.Group("Orders.place", null, 1, START, START));
        assertThat(store.groups(DeadLetterFilter.ALL, 1)).hasSize(1);
        assertThat(store.groups(DeadLetterFilter.of(DeadLetterStatus.RESOLVED), 1))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void movesOnlyAsTheStatusAdmits(DeadLetterStatus from) {
        for (DeadLetterStatus to : DeadLetterStatus.values()) {
            String id = from + "-" + to;
            store.put(letter(id, 0));
            if (from != DeadLetterStatus.DEAD) {
                move(id, DeadLetterStatus.RETRYING, null);
            }
            if (from == DeadLetterStatus.RESOLVED || from == DeadLetterStatus.DISCARDED) {
                move(id, from, null);
            }
            int before = store.find(id).orElseThrow().actions().size();

            boolean moved = move(id, to, "alice");

            assertThat(moved).as(id).isEqualTo(from.admits(to));
            assertThat(store.find(id).orElseThrow().status()).as(id).isEqualTo(moved ? to : from);
            assertThat(store.find(id).orElseThrow().actions()).hasSize(before + (moved ? 1 : 0));
        }
        assertThat(move("unknown", DeadLetterStatus.RETRYING, null)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"DEAD", "RESOLVED", "DISCARDED"})
    void aResentCallEndsOnce(DeadLetterStatus end) {
        store.put(letter("x", 0));
        move("x", DeadLetterStatus.RETRYING, "a");
        store.put(letter("x", 1));
        move("x", DeadLetterStatus.RETRYING, "b");

        assertThat(store.move("x", DeadLetterStatus.RETRYING, action(end, "b"))).isTrue();

        DeadLetter ended = store.find("x").orElseThrow();
        for (DeadLetterStatus next : DeadLetterStatus.values()) {
            assertThat(store.move("x", DeadLetterStatus.RETRYING, action(next, "a")))
                    .as("%s", next)
                    .isFalse();
        }
        assertThat(store.find("x")).contains(ended);
    }

    @Test
    void onlyTheEndOfItsCallChangesADeadLetterThatIsBeingResent() {
        store.put(letter("x", 0));
        move("x", DeadLetterStatus.RETRYING, "a");

        for (DeadLetterStatus next : DeadLetterStatus.values()) {
            assertThat(store.move("x", DeadLetterStatus.DEAD, action(next, "bob")))
                    .as("%s", next)
                    .isFalse();
        }

        assertThat(status("x")).isEqualTo(DeadLetterStatus.RETRYING);
        assertThat(store.move("x", DeadLetterStatus.RETRYING, action(DeadLetterStatus.DEAD, "a")))
                .isTrue();
        assertThat(store.move("x", DeadLetterStatus.DEAD, action(DeadLetterStatus.DISCARDED, "bob")))
                .isTrue();
    }

    @Test
    void deletesTheOldestButNothingThatIsBeingResent() {
        for (int i = 0; i < 10; i++) {
            store.put(letter("id-" + i, i));
        }
        move("id-0", DeadLetterStatus.RETRYING, null);
        move("id-5", DeadLetterStatus.DISCARDED, null);

        assertThat(store.delete(null, Long.MAX_VALUE)).isZero();
        assertThat(store.delete(START.plusSeconds(3), Long.MAX_VALUE)).isEqualTo(2); // 1 and 2
        assertThat(store.delete(null, 4)).isEqualTo(3); // the newest are 9, 8, 7, 6, and 0 is being resent
        assertThat(ids(DeadLetterFilter.ALL)).containsExactly("id-9", "id-8", "id-7", "id-6", "id-0");
        assertThat(store.delete(Instant.MAX, 0)).isEqualTo(4);
        assertThat(ids(DeadLetterFilter.ALL)).containsExactly("id-0");
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
        assertThat(ids(DeadLetterFilter.ALL))
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
        move("id-1", DeadLetterStatus.DISCARDED, null);
        move("id-3", DeadLetterStatus.RETRYING, null);
        move("id-5", DeadLetterStatus.RETRYING, null);

        assertThat(store.totals())
                .containsExactlyInAnyOrder(
                        new DeadLetterStore.Total(DeadLetterStatus.DEAD, 3, START), // 0, 2 and 4
                        new DeadLetterStore.Total(DeadLetterStatus.DISCARDED, 1, START.plusSeconds(1)),
                        new DeadLetterStore.Total(DeadLetterStatus.RETRYING, 2, START.plusSeconds(3)));
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
                        moved += move("id-" + j, DeadLetterStatus.RETRYING, who) ? 1 : 0;
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
        assertThat(store.list(DeadLetterFilter.ALL, null, letters).letters())
                .allSatisfy(letter -> assertThat(
                                store.find(letter.id()).orElseThrow().actions())
                        .hasSize(1));
    }

    private boolean move(String id, DeadLetterStatus to, @Nullable String by) {
        DeadLetterStatus from = store.find(id).map(DeadLetter::status).orElse(DeadLetterStatus.DEAD);
        return store.move(id, from, action(to, by));
    }

    private static Action action(DeadLetterStatus to, @Nullable String by) {
        return new Action(START, by, to, null);
    }

    private DeadLetterStatus status(String id) {
        return store.find(id).orElseThrow().status();
    }

    private List<String> ids(DeadLetterFilter filter) {
        List<String> ids = store.list(filter, null, 100).letters().stream()
                .map(DeadLetterSummary::id)
                .toList();
        assertThat(store.count(filter)).isEqualTo(ids.size());
        return ids;
    }

    private static DeadLetterFilter filter(
            Set<DeadLetterStatus> statuses,
            @Nullable String name,
            @Nullable String errorType,
            @Nullable String text,
            @Nullable Instant from,
            @Nullable Instant before) {
        return new DeadLetterFilter(statuses, name, errorType, text, from, before);
    }

    static DeadLetter letter(String id, int seconds) {
        return Letters.letter(id, "com.acme.Mails#send(java.lang.String)", "[\"a\"]", START.plusSeconds(seconds));
    }
}
