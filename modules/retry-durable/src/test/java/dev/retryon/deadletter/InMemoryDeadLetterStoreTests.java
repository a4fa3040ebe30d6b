// SPDX-License-Identifier: Apache-2.0
package dev.retryon.deadletter;

import static dev.retryon.deadletter.DeadLetterStatus.DEAD;
import static dev.retryon.deadletter.DeadLetterStatus.DISCARDED;
import static dev.retryon.deadletter.DeadLetterStatus.RESOLVED;
import static dev.retryon.deadletter.DeadLetterStatus.RETRYING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.retryon.StopReason;
import dev.retryon.deadletter.DeadLetter.Action;
import dev.retryon.deadletter.DeadLetterStore.Group;
import dev.retryon.deadletter.DeadLetterStore.Page;
import dev.retryon.deadletter.DeadLetterStore.Total;
import dev.retryon.test.VirtualTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The store in memory by itself; what it has in common with stores in a database is in the starter's contract. */
class InMemoryDeadLetterStoreTests {

    private static final Instant START = VirtualTime.START;

    private final InMemoryDeadLetterStore store = new InMemoryDeadLetterStore(100);

    @Test
    void findsWhatWasKept() {
        DeadLetter letter = letter("a", 0);
        store.put(letter);

        assertThat(store.find("a")).contains(letter);
        assertThat(store.find("b")).isEmpty();
    }

    @Test
    void aCallThatDiesAgainKeepsItsHistory() {
        store.put(letter("a", 0));
        move("a", RETRYING);

        store.put(letter("a", 9));

        DeadLetter kept = store.find("a").orElseThrow();
        assertThat(kept.status()).isEqualTo(DEAD);
        assertThat(kept.firstFailedAt()).isEqualTo(START);
        assertThat(kept.diedAt()).isEqualTo(START.plusSeconds(9));
        assertThat(kept.failures()).hasSize(2);
        assertThat(kept.actions()).extracting(Action::what).containsExactly(RETRYING);
    }

    @Test
    void makesRoomByWhatIsDoneTheOldestFirst() {
        InMemoryDeadLetterStore small = new InMemoryDeadLetterStore(4);
        for (int i = 0; i < 4; i++) {
            small.put(letter("id-" + i, i));
        }
        move(small, "id-3", DISCARDED);
        move(small, "id-1", RETRYING);
        move(small, "id-1", RESOLVED);

        small.put(letter("new-0", 10));
        assertThat(ids(small)).containsExactly("new-0", "id-3", "id-2", "id-0");
        small.put(letter("new-1", 11));
        assertThat(ids(small)).containsExactly("new-1", "new-0", "id-2", "id-0");
        assertThatIllegalStateException()
                .isThrownBy(() -> small.put(letter("new-2", 12)))
                .withMessageContaining("the store is full: it keeps at most 4 dead letters");
        small.put(letter("id-0", 12)); // is there already
        assertThat(ids(small)).containsExactly("id-0", "new-1", "new-0", "id-2");
    }

    @Test
    void keepsTenThousandUnlessConfigured() {
        InMemoryDeadLetterStore large = new InMemoryDeadLetterStore();
        for (int i = 0; i < 10_000; i++) {
            large.put(letter("id-" + i, i));
        }

        assertThatIllegalStateException()
                .isThrownBy(() -> large.put(letter("one more", 0)))
                .withMessageContaining("10000");
    }

    @Test
    void capacityIsAtLeastOne() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new InMemoryDeadLetterStore(0))
                .withMessage("capacity is '0', but must be at least 1");
        InMemoryDeadLetterStore smallest = new InMemoryDeadLetterStore(1);
        smallest.put(letter("a", 0));
        assertThat(ids(smallest)).containsExactly("a");
    }

    @Test
    void pagesGoOnWhereTheLastOneEnded() {
        for (int i = 0; i < 5; i++) {
            store.put(letter("id-" + i, i / 2)); // two died in each second
        }
        Page first = store.list(DeadLetterFilter.ALL, null, 2);
        Page second = store.list(DeadLetterFilter.ALL, first.next(), 2);
        Page third = store.list(DeadLetterFilter.ALL, second.next(), 2);

        assertThat(first.letters()).extracting(DeadLetterSummary::id).containsExactly("id-4", "id-3");
        assertThat(second.letters()).extracting(DeadLetterSummary::id).containsExactly("id-2", "id-1");
        assertThat(third.letters()).extracting(DeadLetterSummary::id).containsExactly("id-0");
        assertThat(third.next()).isNull();
        assertThat(store.list(DeadLetterFilter.ALL, null, 5).next()).isNull();
        assertThat(store.list(DeadLetterFilter.ALL, null, 1).letters()).hasSize(1);
    }

    @Test
    void aPageHasAtLeastOne() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.list(DeadLetterFilter.ALL, null, 0))
                .withMessage("limit is '0', but must be at least 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "_x", "yesterday_x"})
    void aCursorThatNoPageHasNamedIsRefused(String cursor) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.list(DeadLetterFilter.ALL, cursor, 1))
                .withMessageContaining("cursor is '" + cursor + "', which is not a valid cursor");
    }

    @Test
    void filtersByEachFieldAndByAll() {
        store.put(letter("a", 0));
        store.put(letter("b", 1, "Orders.place", "java.lang.Error", "50% off"));
        store.put(letter("c", 2, "Orders.place", null, null));
        move("a", DISCARDED);

        assertThat(ids(DeadLetterFilter.of(DEAD))).containsExactly("c", "b");
        assertThat(ids(DeadLetterFilter.of(DEAD, DISCARDED))).containsExactly("c", "b", "a");
        assertThat(ids(filter("Mails.send", null, null, null, null))).containsExactly("a");
        assertThat(ids(filter(null, "java.lang.Error", null, null, null))).containsExactly("b");
        assertThat(ids(filter(null, null, "OFF", null, null))).containsExactly("b");
        assertThat(ids(filter(null, null, "lang.err", null, null))).containsExactly("b");
        assertThat(ids(filter(null, null, "c", null, null))).containsExactly("c", "b", "a"); // the id and "com"
        assertThat(ids(filter(null, null, "#send", null, null))).containsExactly("a");
        assertThat(ids(filter(null, null, null, START.plusSeconds(1), null))).containsExactly("c", "b");
        assertThat(ids(filter(null, null, null, null, START.plusSeconds(1)))).containsExactly("a");
        assertThat(ids(filter("Orders.place", "java.lang.Error", "off", START.plusSeconds(1), START.plusSeconds(2))))
                .containsExactly("b");
        assertThat(ids(filter("Orders.place", "java.lang.Error", "on", null, null)))
                .isEmpty();
    }

    @Test
    void groupsByNameAndErrorTheMostFrequentFirst() {
        store.put(letter("a", 5));
        store.put(letter("b", 3));
        store.put(letter("c", 9));
        store.put(letter("d", 20, "Mails.send", null, null));
        store.put(letter("e", 30, "Orders.place", "java.io.IOException", "down"));

        Group mails = new Group("Mails.send", "java.io.IOException", 3, START.plusSeconds(3), START.plusSeconds(9));
        Group orders =
                new Group("Orders.place", "java.io.IOException", 1, START.plusSeconds(30), START.plusSeconds(30));
        Group values = new Group("Mails.send", null, 1, START.plusSeconds(20), START.plusSeconds(20));
        assertThat(store.groups(DeadLetterFilter.ALL, 10)).containsExactly(mails, orders, values);
        assertThat(store.groups(DeadLetterFilter.ALL, 2)).containsExactly(mails, orders);
        assertThat(store.groups(filter("Orders.place", null, null, null, null), 10))
                .containsExactly(orders);
    }

    @ParameterizedTest
    @EnumSource
    void movesAsTheStatusAdmits(DeadLetterStatus to) {
        for (DeadLetterStatus from : DeadLetterStatus.values()) {
            store.put(letter("" + from, 0));
        }
        for (DeadLetterStatus from : List.of(RETRYING, RESOLVED)) {
            move("" + from, RETRYING);
        }
        move("RESOLVED", RESOLVED);
        move("DISCARDED", DISCARDED);

        for (DeadLetterStatus from : DeadLetterStatus.values()) {
            assertThat(move("" + from, to)).as(from + " to " + to).isEqualTo(from.admits(to));
            assertThat(status("" + from)).isEqualTo(from.admits(to) ? to : from);
        }
        assertThat(move("unknown", to)).isFalse();
        assertThat(store.find("unknown")).isEmpty();
    }

    @Test
    void deletesByAgeAndByNumberWhatIsNotHeld() {
        for (int i = 0; i < 10; i++) {
            store.put(letter("id-" + i, i));
        }
        move("id-0", RETRYING);
        move("id-5", DISCARDED);

        assertThat(store.delete(null, Long.MAX_VALUE)).isZero();
        assertThat(store.delete(START.plusSeconds(3), Long.MAX_VALUE)).isEqualTo(2); // 1 and 2
        assertThat(store.delete(null, 4)).isEqualTo(3); // the newest are 9, 8, 7 and 6, and 0 is held
        assertThat(ids(DeadLetterFilter.ALL)).containsExactly("id-9", "id-8", "id-7", "id-6", "id-0");
        assertThat(store.delete(null, 0)).isEqualTo(4);
        assertThat(ids(DeadLetterFilter.ALL)).containsExactly("id-0");
    }

    @Test
    void countsByStatus() {
        assertThat(store.totals()).isEmpty();
        IntStream.range(0, 4).forEach(i -> store.put(letter("id-" + i, i)));
        move("id-2", DISCARDED);
        move("id-3", DISCARDED);

        assertThat(store.totals())
                .containsExactlyInAnyOrder(new Total(DEAD, 2, START), new Total(DISCARDED, 2, START.plusSeconds(2)));
    }

    private boolean move(String id, DeadLetterStatus to) {
        return move(store, id, to);
    }

    private static boolean move(InMemoryDeadLetterStore store, String id, DeadLetterStatus to) {
        DeadLetterStatus from = store.find(id).map(DeadLetter::status).orElse(DEAD);
        return store.move(id, from, new Action(START, "alice", to, null));
    }

    private DeadLetterStatus status(String id) {
        return store.find(id).orElseThrow().status();
    }

    private List<String> ids(DeadLetterFilter filter) {
        List<String> ids = ids(store, filter);
        assertThat(store.count(filter)).isEqualTo(ids.size());
        return ids;
    }

    private static List<String> ids(InMemoryDeadLetterStore store) {
        return ids(store, DeadLetterFilter.ALL);
    }

    private static List<String> ids(InMemoryDeadLetterStore store, DeadLetterFilter filter) {
        return store.list(filter, null, 100).letters().stream()
                .map(DeadLetterSummary::id)
                .toList();
    }

    private static DeadLetterFilter filter(
            @Nullable String name,
            @Nullable String errorType,
            @Nullable String text,
            @Nullable Instant from,
            @Nullable Instant before) {
        return new DeadLetterFilter(Set.of(), name, errorType, text, from, before);
    }

    private static DeadLetter letter(String id, int seconds) {
        return letter(id, seconds, "Mails.send", "java.io.IOException", "down");
    }

    private static DeadLetter letter(
            String id, int seconds, String name, @Nullable String errorType, @Nullable String message) {
        Instant at = START.plusSeconds(seconds);
        return new DeadLetter(
                id,
                name,
                "com.acme." + name.replace('.', '#') + "()",
                null,
                "[]",
                errorType,
                errorType,
                message,
                null,
                List.of(new DeadLetter.Failure(1, errorType, message, at)),
                1,
                StopReason.EXHAUSTED,
                at,
                at,
                DEAD,
                null,
                null,
                new ArrayList<>());
    }
}
