// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.engine;

import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.durable.DeadLetters;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a {@link CallEngine} that have died. Thread-safe, and safe for several processes. Each method is atomic: it
 * does everything or nothing.
 */
public interface DeadLetterStore {

    /**
     * Stores a call that has failed permanently. If a dead letter with this id exists,
     * because the call was resent, it becomes {@link DeadLetter#died}.
     *
     * @param letter the dead letter, of status {@link DeadLetterStatus#DEAD}
     * @throws RuntimeException if it could not be stored
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
     * Lists dead letters, most recently died first. Implementations must not read arguments, stack traces or
     * failures, because a page of large letters would need too much memory.
     *
     * @param filter selects the dead letters
     * @param cursor the {@link DeadLetters.Page#next} of the previous page; {@code null} for the first page
     * @param limit the maximum number, at least 1
     * @return the page
     * @throws IllegalArgumentException if the cursor is not valid
     */
    DeadLetters.Page list(DeadLetterFilter filter, @Nullable String cursor, int limit);

    /**
     * Counts dead letters.
     *
     * @param filter selects the dead letters
     * @return the number
     */
    long count(DeadLetterFilter filter);

    /**
     * Counts dead letters by name and error, the most frequent first.
     *
     * @param filter selects the dead letters
     * @param limit the maximum number of groups, at least 1
     * @return the groups
     */
    List<DeadLetters.Group> groups(DeadLetterFilter filter, int limit);

    /**
     * Counts all dead letters by status.
     *
     * @return one total for each status that a dead letter has, in no order
     */
    default List<Total> totals() {
        List<Total> totals = new ArrayList<>();
        for (DeadLetterStatus status : DeadLetterStatus.values()) {
            List<DeadLetters.Group> groups = groups(DeadLetterFilter.of(status), Integer.MAX_VALUE);
            groups.stream()
                    .map(DeadLetters.Group::oldest)
                    .min(Comparator.naturalOrder())
                    .ifPresent(oldest -> totals.add(new Total(
                            status,
                            groups.stream().mapToLong(DeadLetters.Group::count).sum(),
                            oldest)));
        }
        return totals;
    }

    /**
     * Changes the status of a dead letter, if it has the expected one. If several callers expect the same status at the
     * same time, only one of them succeeds.
     *
     * @param id the id of the dead letter
     * @param from the expected status: {@code DEAD} if a person resends or discards the dead letter, and {@code
     *     RETRYING} if its call has ended
     * @param action the action, with the new status
     * @return {@code false} if the dead letter does not exist, if it has another status, or if the expected status does
     *     not {@linkplain DeadLetterStatus#admits admit} the new one; nothing is changed then
     */
    boolean move(String id, DeadLetterStatus from, DeadLetter.Action action);

    /**
     * Deletes dead letters that died before a time, and the oldest ones beyond a maximum number. Dead letters that
     * are being resent are never deleted. If several processes delete at the same time, they do not delete more than
     * one of them would.
     *
     * @param diedBefore deletes dead letters that died before this time; {@code null} for none
     * @param maxCount the number of dead letters to leave; {@link Long#MAX_VALUE} for all
     * @return the number of deleted dead letters
     */
    int delete(@Nullable Instant diedBefore, long maxCount);

    /** {@return a right that the user certainly lacks, and what to do about it; {@code null} if nothing is known to be missing} */
    default @Nullable String missingRight() {
        return null;
    }

    /**
     * Registers a write to be started after the transaction of the thread, if other threads can't write while it lasts.
     *
     * @param write starts the write on another thread, and does not wait for it
     * @return {@code false} if other threads can write: the write was not registered
     */
    default boolean afterCaller(Runnable write) {
        return false;
    }

    /**
     * The number of dead letters with one status.
     *
     * @param status the status
     * @param count the number
     * @param oldest when the oldest one died
     */
    record Total(DeadLetterStatus status, long count, Instant oldest) {}
}
