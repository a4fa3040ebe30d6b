// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.engine;

import dev.retryon.deadletter.DeadLetter;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lists the calls that an engine stores for all processes, makes waiting calls due earlier, and turns them into dead letters. The endpoint
 * {@code durablecalls} uses it. Writes take part in {@link CallEngine#transactions()}. Thread-safe.
 */
public interface CallLedger {

    /**
     * Lists calls, those that are due next first.
     *
     * @param filter which calls
     * @param cursor the {@link Page#next} of the previous page; {@code null} for the first page
     * @param limit the maximum number of calls, 1 or more
     * @return a page
     * @throws IllegalArgumentException if the cursor is not valid
     */
    Page list(Filter filter, @Nullable String cursor, int limit);

    /**
     * Lists calls in the order of their ids, which no change of a call affects.
     *
     * @param filter which calls
     * @param after the last id of the previous page; {@code null} for the first page
     * @param limit the maximum number of calls, 1 or more
     * @return the calls; none at the end
     */
    List<Entry> listById(Filter filter, @Nullable String after, int limit);

    /**
     * Counts calls.
     *
     * @param filter which calls
     * @return the number of calls
     */
    long count(Filter filter);

    /**
     * Counts calls by name and error.
     *
     * @param filter which calls
     * @param limit the maximum number of groups
     * @return the groups, the largest first
     */
    List<Group> groups(Filter filter, int limit);

    /**
     * Finds a call.
     *
     * @param id the id of the call
     * @return the call, if it is stored
     */
    Optional<Entry> find(String id);

    /**
     * Reads the content of a call.
     *
     * @param entry the call as it was found
     * @param longest the maximum length, in bytes
     * @return the content; {@code null} if it is longer, or if the call was changed since it was found
     */
    byte @Nullable [] read(Entry entry, long longest);

    /**
     * Brings the due time of a call forward, unless the call runs.
     *
     * @param id the id of the call
     * @param due the latest time at which the call becomes due
     * @return whether the call is stored and does not run
     */
    boolean hasten(String id, Instant due);

    /**
     * Turns a call into a dead letter, unless it runs or was changed since it was found.
     *
     * @param entry the call as it was found
     * @param letter the dead letter
     * @return whether the call is a dead letter now
     */
    boolean giveUp(Entry entry, DeadLetter letter);

    /**
     * Selects calls that match all values that are not {@code null}.
     *
     * @param name the name of the method, as in {@link CallEngine.Label}
     * @param errorType the class of the last error
     * @param lane the lane
     * @param text a part of the id, the name or the class of the error, in upper or lower case
     * @param startedFrom the earliest time of the first attempt
     * @param startedBefore the first attempt must be before this time
     */
    record Filter(
            @Nullable String name,
            @Nullable String errorType,
            @Nullable String lane,
            @Nullable String text,
            @Nullable Instant startedFrom,
            @Nullable Instant startedBefore) {

        /** Selects all calls. */
        public static final Filter ALL = new Filter(null, null, null, null, null, null);

        /**
         * Returns a copy with another end.
         *
         * @param end the first attempt must be before this time
         * @return a new filter
         */
        public Filter before(Instant end) {
            return new Filter(name, errorType, lane, text, startedFrom, end);
        }
    }

    /**
     * A stored call.
     *
     * @param id the id of the call
     * @param name the name of the method; {@code null} if another program has written the call
     * @param errorType the class of the last error; {@code null} if no attempt has failed, or if it returned a value
     *     that must be retried
     * @param lane the lane
     * @param attempt the number of attempts that have run
     * @param startedAt when the first attempt ran, or when the call was stored before its first attempt; {@code null} if
     *     this is unknown
     * @param due when the next attempt is or was due
     * @param running whether a worker has leased the call
     * @param revision a number that changes with each write
     */
    record Entry(
            String id,
            @Nullable String name,
            @Nullable String errorType,
            String lane,
            int attempt,
            @Nullable Instant startedAt,
            Instant due,
            boolean running,
            long revision) {}

    /**
     * A page of calls.
     *
     * @param calls the calls
     * @param next the cursor of the next page; {@code null} on the last one
     */
    record Page(List<Entry> calls, @Nullable String next) {}

    /**
     * The calls with one name and one error.
     *
     * @param name the name of the method; {@code null} if another program has written the calls
     * @param errorType the class of the last error, or {@code null}
     * @param count the number of calls
     * @param oldest the time of the first of their first attempts; {@code null} if it is unknown
     * @param nextDue when the first of the calls is or was due
     */
    record Group(
            @Nullable String name,
            @Nullable String errorType,
            long count,
            @Nullable Instant oldest,
            Instant nextDue) {}
}
