// SPDX-License-Identifier: Apache-2.0
package dev.retryon.deadletter;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Stores dead letters. Implementations are thread-safe, and safe for several processes if they share the store. Each
 * method is atomic: it does everything or nothing.
 *
 * <p>A process that resends the call of a dead letter has a {@link Hold} on the dead letter. All writes for that call
 * carry the hold. If the hold has been lost, because it expired and another process has taken the dead letter, such a
 * write changes nothing and returns {@code false}. If the hold has expired but no other process has taken the dead
 * letter, the process may still write. Reads report a dead letter with an expired hold as {@link
 * DeadLetterStatus#DEAD}.
 *
 * @since 0.1.0
 */
public interface DeadLetterStore {

    /**
     * Stores a call that has failed for good and was not resent. If a dead letter with this id exists, it becomes
     * {@link DeadLetter#died} and any hold on it ends.
     *
     * @param letter the dead letter, of status {@link DeadLetterStatus#DEAD}
     * @throws RuntimeException if it could not be stored
     */
    void put(DeadLetter letter);

    /**
     * Stores that a resent call has failed again. The dead letter becomes {@link DeadLetter#died}, and the hold ends.
     *
     * @param letter the dead letter of the new failure, with the same id and of status {@link DeadLetterStatus#DEAD}
     * @param hold the hold under which the call ran
     * @return {@code false} if the hold has been lost; nothing is changed then
     * @throws RuntimeException if it could not be stored
     */
    boolean putAgain(DeadLetter letter, Hold hold);

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
     * @param cursor the {@link Page#next} of the previous page; {@code null} for the first page
     * @param limit the maximum number, at least 1
     * @return the page
     * @throws IllegalArgumentException if the cursor is not valid
     */
    Page list(DeadLetterFilter filter, @Nullable String cursor, int limit);

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
     * Changes the status of a dead letter.
     *
     * <ul>
     * <li>To {@link DeadLetterStatus#RETRYING}: takes the dead letter with the given hold, which is required. The
     * dead letter must be {@code DEAD}, or its hold must have expired.
     * <li>To another status, with a hold: stores the result of the call and ends the hold. The dead letter must be
     * {@code RETRYING} under this hold, expired or not.
     * <li>To {@link DeadLetterStatus#DISCARDED} without a hold: the decision of a person. The dead letter must be
     * {@code DEAD}. A dead letter whose call is running can't be discarded.
     * <li>To any other status, without a hold: not allowed.
     * </ul>
     *
     * @param id the id of the dead letter
     * @param action the action, with the new status
     * @param hold the new or the present hold; {@code null} for none
     * @return {@code false} if there is no such dead letter, or its status or its hold does not allow the change;
     *     nothing is changed then
     * @throws IllegalArgumentException if the new status is {@code RETRYING} and there is no hold
     */
    boolean move(String id, DeadLetter.Action action, @Nullable Hold hold);

    /**
     * Extends a hold. A hold that has expired is extended too, unless it has been lost.
     *
     * @param id the id of the dead letter
     * @param hold the hold, with the new time at which it expires
     * @return {@code false} if the hold has been lost
     */
    boolean extend(String id, Hold hold);

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

    /**
     * The right of one process to run the call of a dead letter and to store the result. Each time a dead letter is
     * taken, it gets a hold with another key, so that a former holder can't write any more.
     *
     * @param key identifies the hold; unique, at most {@value #LONGEST_KEY} characters
     * @param until when the hold expires unless it is {@linkplain #extend extended}; {@code null} if it never expires
     */
    record Hold(String key, @Nullable Instant until) {

        /** The longest key, in characters. */
        public static final int LONGEST_KEY = 100;

        /**
         * Describes a hold.
         *
         * @param key identifies the hold
         * @param until when the hold expires, or {@code null}
         * @throws IllegalArgumentException if the key is empty or too long
         */
        public Hold {
            if (key.isEmpty() || key.length() > LONGEST_KEY) {
                throw new IllegalArgumentException(
                        "key is '" + key + "', but must have from 1 to " + LONGEST_KEY + " characters");
            }
        }

        /**
         * Creates a hold with a key that no other hold has.
         *
         * @param until when the hold expires, or {@code null}
         * @return the hold
         */
        public static Hold create(@Nullable Instant until) {
            return new Hold(UUID.randomUUID().toString(), until);
        }

        /**
         * {@return a hold with the same key and another expiry time}
         *
         * @param time when the hold expires, or {@code null}
         */
        public Hold until(@Nullable Instant time) {
            return new Hold(key, time);
        }
    }

    /**
     * A page of a list.
     *
     * @param letters summaries of the dead letters; {@link #find} returns a whole one
     * @param next the cursor of the next page; {@code null} if this is the last page
     */
    record Page(List<DeadLetterSummary> letters, @Nullable String next) {

        /**
         * Creates a page.
         *
         * @param letters the dead letters; copied
         * @param next the cursor of the next page, or {@code null}
         */
        public Page {
            letters = List.copyOf(letters);
        }
    }

    /**
     * The number of dead letters with one name and one error.
     *
     * @param name the name of the retry
     * @param errorType the class of the error; {@code null} for returned values
     * @param count the number
     * @param oldest when the oldest one died
     * @param newest when the newest one died
     */
    record Group(String name, @Nullable String errorType, long count, Instant oldest, Instant newest) {}

    /**
     * The number of dead letters with one status.
     *
     * @param status the status
     * @param count the number
     * @param oldest when the oldest one died
     */
    record Total(DeadLetterStatus status, long count, Instant oldest) {}
}
