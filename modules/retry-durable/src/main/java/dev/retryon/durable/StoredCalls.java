// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

import dev.retryon.StopReason;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lists the stored calls of all processes that share a store, and changes them: calls that wait for an attempt, and dead
 * letters, which have failed permanently. If the application has a database for stored calls, there is a bean of this type.
 * {@link Redacted} arguments are hidden in all results. Thread-safe.
 *
 * <p>Exceptions of the store reach the caller. If the state of a call does not allow an action, the method returns
 * {@code false}.
 *
 * @since 0.1.0
 */
public interface StoredCalls {

    /**
     * Finds a call.
     *
     * @param id its id
     * @return the call, or empty if it is not stored. A call that succeeds is deleted, unless it had died
     */
    Optional<StoredCall> find(String id);

    /**
     * Lists calls: dead ones, the latest first; then waiting and running ones, in the order in which they become due; then
     * blocked, resolved and discarded ones, the latest first.
     *
     * @param filter which
     * @param cursor the cursor of the previous page; {@code null} for the first page
     * @param limit the maximum number of calls, at least 1
     * @return the page
     * @throws IllegalArgumentException if the cursor is not valid, or the limit is below 1
     */
    Page list(Filter filter, @Nullable String cursor, int limit);

    /**
     * Counts calls by name, error and state.
     *
     * @param filter which
     * @param limit the maximum number of groups, at least 1
     * @return the groups, the largest first
     */
    List<Group> groups(Filter filter, int limit);

    /**
     * Counts calls.
     *
     * @param filter which
     * @return the number of calls
     */
    long count(Filter filter);

    /**
     * Runs the next attempt of a waiting call now. If the call is paused, it runs when it is resumed.
     *
     * @param id its id
     * @return {@code false} if there is no such call, or if it does not wait
     */
    boolean runNow(String id);

    /**
     * Turns a waiting call into a dead letter. It has no further attempt unless it is resent.
     *
     * @param id its id
     * @param reason why, or {@code null}
     * @return {@code false} if there is no such call, or if it does not wait
     */
    boolean giveUp(String id, @Nullable String reason);

    /**
     * Resends a dead letter without a delay. See {@link #resend(String, Duration)}.
     *
     * @param id its id
     * @return whether the call is resent
     * @throws IllegalStateException if no call can be resent, with the reason
     */
    default boolean resend(String id) {
        return resend(id, Duration.ZERO);
    }

    /**
     * Resends a dead letter. The call waits again, runs through the bean's proxy, and keeps its id and its arguments, but its
     * attempts count anew. If it succeeds, it becomes {@link StoredCall.State#RESOLVED}. If it fails permanently, it is dead
     * again, with the failures of all runs.
     *
     * <p>A worker of any process runs the call, even if its method is not durable, and it survives a crash. Its result is
     * dropped, and recovery methods are not called.
     *
     * @param id its id
     * @param delay the time to wait before the call runs, from zero to 365 days
     * @return {@code false} if there is no such call, if it is not dead, or if it cannot run. In the last case it is dead with
     *     the reason {@link StopReason#UNRESOLVABLE}
     * @throws IllegalArgumentException if the delay is negative, or longer than 365 days
     * @throws IllegalStateException if no call can be resent, with the reason: no running process has threads for stored
     *     calls
     */
    boolean resend(String id, Duration delay);

    /**
     * Discards a dead letter, because it is no longer needed.
     *
     * @param id its id
     * @param reason why, or {@code null}
     * @return {@code false} if there is no such call, or if it is not dead
     */
    boolean discard(String id, @Nullable String reason);

    /**
     * Runs the next attempts of waiting calls now, in the background.
     *
     * @param filter selects the calls; only waiting ones change. Without a {@code before}, only those that have started by now
     * @param bulk how
     * @return the task
     * @throws IllegalArgumentException if the bulk is neither confirmed nor a dry run
     * @throws IllegalStateException if another task of the application runs
     */
    Task runAllNow(Filter filter, Bulk bulk);

    /**
     * Turns waiting calls into dead letters in the background.
     *
     * @param filter which, as for {@link #runAllNow}
     * @param reason why, or {@code null}
     * @param bulk how
     * @return the task
     * @throws IllegalArgumentException if the bulk is neither confirmed nor a dry run
     * @throws IllegalStateException if another task of the application runs
     */
    Task giveUpAll(Filter filter, @Nullable String reason, Bulk bulk);

    /**
     * Resends dead letters in the background, one after the other, most recently died first. Calls that die after the start of
     * the task are not included.
     *
     * @param filter selects the calls; only dead ones change
     * @param bulk how
     * @return the task
     * @throws IllegalArgumentException if the bulk is neither confirmed nor a dry run
     * @throws IllegalStateException if another task of the application runs, or if no call can be resent, with the reason
     */
    Task resendAll(Filter filter, Bulk bulk);

    /**
     * Discards dead letters in the background, in the same order as {@link #resendAll}.
     *
     * @param filter selects the calls; only dead ones change
     * @param reason why, or {@code null}
     * @param bulk how
     * @return the task
     * @throws IllegalArgumentException if the bulk is neither confirmed nor a dry run
     * @throws IllegalStateException if another task of the application runs
     */
    Task discardAll(Filter filter, @Nullable String reason, Bulk bulk);

    /**
     * {@return the running task or, without one, the task that was started last in any process; empty if there was none within a
     * day}
     */
    Optional<Task> task();

    /**
     * Returns a view that records a person as the author of what it gives up, resends and discards.
     *
     * @param who the name of the person
     * @return the view
     */
    StoredCalls by(String who);

    /**
     * Selects calls. A {@code null} condition matches all calls, and so does an empty set of states.
     *
     * @param states the states
     * @param name the name of the method, as in events and meters
     * @param errorType the class of the last error
     * @param lane the lane of the call
     * @param text a part of the id, the method or the class of the error, and for calls that have died, of the message; not
     *     case-sensitive
     * @param from the earliest time at which a call died, or was first attempted if it waits or runs
     * @param before the end of the range, exclusive
     */
    record Filter(
            Set<StoredCall.State> states,
            @Nullable String name,
            @Nullable String errorType,
            @Nullable String lane,
            @Nullable String text,
            @Nullable Instant from,
            @Nullable Instant before) {

        /** Selects all calls. */
        public static final Filter ALL = new Filter(Set.of(), null, null, null, null, null, null);

        /**
         * Creates a filter.
         *
         * @param states the states; empty for all
         * @param name the name of the method, or {@code null}
         * @param errorType the class of the last error, or {@code null}
         * @param lane the lane, or {@code null}
         * @param text a part of the id, the method, the class of the error or its message, or {@code null}
         * @param from the earliest time, or {@code null}
         * @param before the end of the range, exclusive, or {@code null}
         */
        public Filter {
            states = Set.copyOf(states);
        }

        /**
         * Returns a filter for calls in one of some states.
         *
         * @param first a state
         * @param others more states
         * @return the filter
         */
        public static Filter of(StoredCall.State first, StoredCall.State... others) {
            return new Filter(EnumSet.of(first, others), null, null, null, null, null, null);
        }

        /**
         * Returns a copy with another name.
         *
         * @param wanted the name of the method
         * @return the copy
         */
        public Filter withName(@Nullable String wanted) {
            return new Filter(states, wanted, errorType, lane, text, from, before);
        }

        /**
         * Returns a copy with another error.
         *
         * @param wanted the class of the last error
         * @return the copy
         */
        public Filter withErrorType(@Nullable String wanted) {
            return new Filter(states, name, wanted, lane, text, from, before);
        }

        /**
         * Returns a copy with another lane.
         *
         * @param wanted the lane
         * @return the copy
         */
        public Filter withLane(@Nullable String wanted) {
            return new Filter(states, name, errorType, wanted, text, from, before);
        }

        /**
         * Returns a copy with another text.
         *
         * @param part a part of the id, the method, the class of the error or its message
         * @return the copy
         */
        public Filter withText(@Nullable String part) {
            return new Filter(states, name, errorType, lane, part, from, before);
        }

        /**
         * Returns a copy with another range of times.
         *
         * @param first the earliest time
         * @param end the end of the range, exclusive
         * @return the copy
         */
        public Filter withTimes(@Nullable Instant first, @Nullable Instant end) {
            return new Filter(states, name, errorType, lane, text, first, end);
        }
    }

    /**
     * A call in a list. It has no arguments, stack trace or failures, which keeps a page small in memory.
     *
     * @param id the id of the call
     * @param name the name of the method
     * @param state the state
     * @param reason why the call died; {@code null} if it waits or runs
     * @param errorType the class of the last error; {@code null} if no attempt has failed, or if the last one returned a value
     *     that must be retried
     * @param errorMessage its message; {@code null} if the call waits or runs
     * @param lane the lane of the call
     * @param attempts the number of attempts since the call was last sent
     * @param startedAt when the first attempt ran or failed, or is planned; {@code null} if unknown
     * @param due when the next attempt of a waiting or running call is or was due; otherwise {@code null}
     * @param diedAt when the call died; {@code null} if it waits or runs
     */
    record Summary(
            String id,
            String name,
            StoredCall.State state,
            @Nullable StopReason reason,
            @Nullable String errorType,
            @Nullable String errorMessage,
            String lane,
            int attempts,
            @Nullable Instant startedAt,
            @Nullable Instant due,
            @Nullable Instant diedAt) {

        /** Names the call, its state and its error, without the message, which can contain secrets. */
        @Override
        public String toString() {
            return "Summary[" + id + " " + name + " " + state + (errorType == null ? "" : ": " + errorType) + "]";
        }
    }

    /**
     * A page of a list.
     *
     * @param calls the calls; {@link #find} returns a whole one
     * @param next the cursor of the next page; {@code null} if this is the last page
     */
    record Page(List<Summary> calls, @Nullable String next) {

        /**
         * Creates a page.
         *
         * @param calls the calls; copied
         * @param next the cursor of the next page, or {@code null}
         */
        public Page {
            calls = List.copyOf(calls);
        }
    }

    /**
     * The number of calls with the same name, error and state.
     *
     * @param name the name of the method
     * @param errorType the class of the last error; {@code null} for returned values, or if no attempt has failed
     * @param state the state; {@link StoredCall.State#WAITING} includes running calls
     * @param count the number
     * @param oldest when the oldest one died, or was first attempted if it waits; {@code null} if unknown
     * @param newest when the newest one died; {@code null} for waiting calls
     * @param nextDue when the first of the waiting calls is or was due; {@code null} for other states
     */
    record Group(
            String name,
            @Nullable String errorType,
            StoredCall.State state,
            long count,
            @Nullable Instant oldest,
            @Nullable Instant newest,
            @Nullable Instant nextDue) {}

    /**
     * The rate and the mode of a task.
     *
     * @param maxPerSecond the maximum number of calls per second, from 1 to {@value #MAX_PER_SECOND}
     * @param dryRun whether they are only counted
     * @param confirm whether the caller confirms the action; required unless this is a dry run
     */
    record Bulk(int maxPerSecond, boolean dryRun, boolean confirm) {

        /** The default number per second: {@value}. */
        public static final int DEFAULT_PER_SECOND = 50;

        /** The highest allowed number per second: {@value}. */
        public static final int MAX_PER_SECOND = 10_000;

        /**
         * Creates a bulk.
         *
         * @param maxPerSecond the maximum number of calls per second
         * @param dryRun whether they are only counted
         * @param confirm whether the caller confirms the action
         * @throws IllegalArgumentException if the rate is out of bounds
         */
        public Bulk {
            if (maxPerSecond < 1 || maxPerSecond > MAX_PER_SECOND) {
                throw new IllegalArgumentException(
                        "maxPerSecond is '" + maxPerSecond + "', but must be from 1 to " + MAX_PER_SECOND);
            }
        }

        /**
         * Returns a confirmed bulk.
         *
         * @param maxPerSecond the maximum number of calls per second
         * @return a confirmed bulk
         */
        public static Bulk confirmed(int maxPerSecond) {
            return new Bulk(maxPerSecond, false, true);
        }

        /** {@return a bulk that only counts the calls} */
        public static Bulk dry() {
            return new Bulk(DEFAULT_PER_SECOND, true, false);
        }
    }

    /**
     * A background task that changes many calls. An application runs one at a time. It is stored, so if its process ends,
     * another one continues it, or the same one after a restart. The methods read its progress from the store.
     */
    interface Task {

        /** {@return the id of the task} */
        String id();

        /** {@return what the task does} */
        Action action();

        /** {@return the state of the task} */
        State state();

        /** {@return the number of calls that matched the filter when the task started} */
        long matched();

        /**
         * {@return the number of calls that the task has changed so far, without those that {@link #cancel} has restored}
         *
         * <p>Calls that are resent or run now get their due times up to ten seconds before.
         */
        long moved();

        /** {@return the number of calls whose state no longer allowed the action, or that cannot run} */
        long skipped();

        /** {@return the time at which the task started} */
        Instant startedAt();

        /**
         * {@return the upper bound for the time at which the calls of this task died or started, exclusive}
         *
         * <p>After a dry run, pass it to the filter of the real task, so that the task changes no call that the
         * dry run did not count.
         */
        Instant before();

        /** {@return a sentence about why the task has failed; {@code null} unless it is {@link State#FAILED}} */
        @Nullable String failure();

        /**
         * Cancels the task before the next call, in whichever process it runs. Calls that no worker has started since the task
         * changed their due time get the old one back, and resent calls among them are dead again. Other calls stay changed.
         *
         * @return {@code false} if the task has already ended
         */
        boolean cancel();

        /** The action of a task. */
        enum Action {

            /** Runs the next attempt of a waiting call now. */
            RUN_NOW,

            /** Turns a waiting call into a dead letter. */
            GIVE_UP,

            /** Resends a dead letter. */
            RESEND,

            /** Discards a dead letter. */
            DISCARD
        }

        /** The state of a task. */
        enum State {

            /** A dry run: the task has only counted the calls. */
            DRY_RUN,

            /** The task has not changed all calls yet, or some resent calls are still running. */
            RUNNING,

            /** The task has changed all calls, and the resent calls have ended. */
            DONE,

            /** The task was cancelled. */
            CANCELLED,

            /** The store has rejected a change. While the store does not respond, the task waits instead. */
            FAILED
        }
    }
}
