/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.deadletter;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where dead letters are kept. Thread-safe, and safe for several processes if they share it: each method is done as a whole
 * or not at all. A dead letter whose hold has lapsed is found, listed and counted as {@link DeadLetterStatus#DEAD}.
 *
 * @since 0.1.0
 */
public interface DeadLetterStore {

    /**
     * Keeps a dead letter. If there is one of the same id already, its call was sent again: what is kept then is {@link
     * DeadLetter#died}.
     *
     * @param letter the dead letter, of status {@link DeadLetterStatus#DEAD}
     * @throws RuntimeException if it could not be kept
     */
    void put(DeadLetter letter);

    /**
     * Finds a dead letter.
     *
     * @param id its id
     * @return the dead letter, or empty if there is none
     */
    Optional<DeadLetter> find(String id);

    /**
     * Lists dead letters, those that died last first. Must not read arguments, stack traces or failures: a page of large letters
     * would need too much memory.
     *
     * @param filter which
     * @param cursor where to go on: the cursor of the page before; {@code null} for the first page
     * @param limit how many at most, at least 1
     * @return the page
     * @throws IllegalArgumentException if the cursor is none of this store's
     */
    Page list(DeadLetterFilter filter, @Nullable String cursor, int limit);

    /**
     * Counts dead letters.
     *
     * @param filter which
     * @return how many there are
     */
    long count(DeadLetterFilter filter);

    /**
     * Counts dead letters by name and error, the most frequent first.
     *
     * @param filter which
     * @param limit how many groups at most, at least 1
     * @return the groups
     */
    List<Group> groups(DeadLetterFilter filter, int limit);

    /**
     * Counts all dead letters by status.
     *
     * @return one total for each status that a dead letter has, in no order
     */
    default List<Total> totals() {
        List<Total> totals = new ArrayList<>();
        for (DeadLetterStatus status : DeadLetterStatus.values()) {
            List<Group> groups = groups(DeadLetterFilter.of(status), Integer.MAX_VALUE);
            groups.stream()
                    .map(Group::oldest)
                    .min(Comparator.naturalOrder())
                    .ifPresent(oldest -> totals.add(new Total(
                            status, groups.stream().mapToLong(Group::count).sum(), oldest)));
        }
        return totals;
    }

    /**
     * Gives a dead letter another status, if it {@linkplain DeadLetterStatus#admits may} have it. One whose hold has lapsed may
     * be sent again, because its holder has probably ended. A holder that still runs may report how the call ended.
     *
     * @param id its id
     * @param action what was done, with the status that it leads to
     * @param until for {@link DeadLetterStatus#RETRYING}, when the hold lapses unless it is {@linkplain #extend extended};
     *     {@code null} if never
     * @return {@code false} if there is no such dead letter, or its status does not admit it; nothing is changed then
     */
    boolean move(String id, DeadLetter.Action action, @Nullable Instant until);

    /**
     * Extends the hold on a dead letter that is being sent again.
     *
     * @param id its id
     * @param until when the hold lapses now
     * @return {@code false} if the dead letter is not being sent again any more; one whose hold has lapsed is held again
     *     unless it was taken meanwhile
     */
    boolean extend(String id, Instant until);

    /**
     * Deletes dead letters that are not being sent again: those that died before a time, and the oldest beyond a number of
     * others. Processes that delete the same at once delete no more than one of them would.
     *
     * @param diedBefore those that died before; {@code null} for none
     * @param maxCount how many of the newest are left; {@link Long#MAX_VALUE} for all
     * @return how many were deleted
     */
    int delete(@Nullable Instant diedBefore, long maxCount);

    /**
     * Some dead letters of a list.
     *
     * @param letters what lists show of the dead letters; {@link #find} returns a whole one
     * @param next where the next page goes on; {@code null} if this is the last one
     */
    record Page(List<DeadLetterSummary> letters, @Nullable String next) {

        /**
         * Describes a page.
         *
         * @param letters the dead letters; copied
         * @param next where the next page goes on, or {@code null}
         */
        public Page {
            letters = List.copyOf(letters);
        }
    }

    /**
     * Dead letters of one name and one error.
     *
     * @param name the name of what was called
     * @param errorType the class of the error; {@code null} for returned values
     * @param count how many there are
     * @param oldest when the first of them died
     * @param newest when the last of them died
     */
    record Group(String name, @Nullable String errorType, long count, Instant oldest, Instant newest) {}

    /**
     * Dead letters of one status.
     *
     * @param status the status
     * @param count how many there are
     * @param oldest when the first of them died
     */
    record Total(DeadLetterStatus status, long count, Instant oldest) {}
}
