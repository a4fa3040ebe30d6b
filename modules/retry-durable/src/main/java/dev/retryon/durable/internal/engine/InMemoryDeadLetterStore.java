// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.engine;

import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterSummary;
import dev.retryon.durable.DeadLetters;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The dead letters of a test, in memory. */
public final class InMemoryDeadLetterStore implements DeadLetterStore {

    private static final Comparator<Place> NEWEST_PLACE_FIRST =
            Comparator.comparing(Place::diedAt).thenComparing(Place::id).reversed();

    private static final Comparator<DeadLetter> NEWEST_FIRST = Comparator.comparing(Place::of, NEWEST_PLACE_FIRST);

    private final Map<String, DeadLetter> letters = new HashMap<>();

    @Override
    public synchronized void put(DeadLetter letter) {
        letters.merge(letter.id(), letter, DeadLetter::died);
    }

    @Override
    public synchronized Optional<DeadLetter> find(String id) {
        return Optional.ofNullable(letters.get(id));
    }

    @Override
    public synchronized DeadLetters.Page list(DeadLetterFilter filter, @Nullable String cursor, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit is '" + limit + "', but must be at least 1");
        }
        Place last = cursor == null ? null : Place.parse(cursor);
        List<DeadLetter> found = admitted(filter)
                .filter(letter -> last == null || NEWEST_PLACE_FIRST.compare(Place.of(letter), last) > 0)
                .sorted(NEWEST_FIRST)
                .limit(limit + 1L)
                .toList();
        String next = found.size() > limit ? Place.of(found.get(limit - 1)).toString() : null;
        return new DeadLetters.Page(
                found.stream().limit(limit).map(DeadLetterSummary::of).toList(), next);
    }

    @Override
    public synchronized long count(DeadLetterFilter filter) {
        return admitted(filter).count();
    }

    @Override
    public synchronized List<DeadLetters.Group> groups(DeadLetterFilter filter, int limit) {
        record Key(String name, @Nullable String errorType) {}
        Map<Key, DeadLetters.Group> groups = new HashMap<>();
        admitted(filter)
                .forEach(letter -> groups.merge(
                        new Key(letter.name(), letter.errorType()),
                        new DeadLetters.Group(letter.name(), letter.errorType(), 1, letter.diedAt(), letter.diedAt()),
                        InMemoryDeadLetterStore::both));
        return groups.values().stream()
                .sorted(Comparator.comparingLong(DeadLetters.Group::count)
                        .thenComparing(DeadLetters.Group::newest)
                        .reversed())
                .limit(limit)
                .toList();
    }

    private static DeadLetters.Group both(DeadLetters.Group one, DeadLetters.Group other) {
        return new DeadLetters.Group(
                one.name(),
                one.errorType(),
                one.count() + other.count(),
                one.oldest().isBefore(other.oldest()) ? one.oldest() : other.oldest(),
                one.newest().isAfter(other.newest()) ? one.newest() : other.newest());
    }

    private Stream<DeadLetter> admitted(DeadLetterFilter filter) {
        return letters.values().stream().filter(filter::admits);
    }

    @Override
    public synchronized boolean move(String id, DeadLetterStatus from, DeadLetter.Action action) {
        DeadLetter letter = letters.get(id);
        if (letter == null || letter.status() != from || !from.admits(action.what())) {
            return false;
        }
        letters.put(id, letter.after(action));
        return true;
    }

    @Override
    public synchronized int delete(@Nullable Instant diedBefore, long maxCount) {
        int before = letters.size();
        if (diedBefore != null) {
            letters.values()
                    .removeIf(letter -> letter.status() != DeadLetterStatus.RETRYING
                            && letter.diedAt().isBefore(diedBefore));
        }
        List<DeadLetter> surplus = letters.values().stream()
                .sorted(NEWEST_FIRST)
                .skip(maxCount)
                .filter(letter -> letter.status() != DeadLetterStatus.RETRYING)
                .toList();
        surplus.forEach(letter -> letters.remove(letter.id()));
        return before - letters.size();
    }

    /** The position of a dead letter in the list, which is a cursor as text. */
    private record Place(Instant diedAt, String id) {

        static Place of(DeadLetter letter) {
            return new Place(letter.diedAt(), letter.id());
        }

        static Place parse(String cursor) {
            int end = cursor.indexOf('_');
            try {
                return new Place(Instant.parse(cursor.substring(0, end)), cursor.substring(end + 1));
            } catch (RuntimeException ex) {
                throw new IllegalArgumentException(
                        "cursor is '" + cursor
                                + "', which is not a valid cursor; use the next value of a previous page",
                        ex);
            }
        }

        @Override
        public String toString() {
            return diedAt + "_" + id;
        }
    }
}
