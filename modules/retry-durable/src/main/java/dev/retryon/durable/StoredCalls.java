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
 * Lists and changes the stored calls of all processes that share a store. Such a call waits for an attempt, or is a
 * dead letter, which has failed permanently. If the application has a database for stored calls, it has a bean of this
 * type. {@link Redacted} arguments are hidden in all results. Thread-safe.
 *
 * <p>Exceptions of the store are thrown to the caller. If the state of a call does not allow an action, the method
 * returns {@code false}.
 *
 * @since 0.1.0
 */
public interface StoredCalls {

    /**
     * Finds a stored call by its id.
     *
     * @param id the id of the call
     * @return the call, or empty if it is not stored. A successful call is deleted, unless it died before
     */
    Optional<StoredCall> find(String id);

    /**
     * Lists calls. Dead calls come first, starting with the latest. Waiting and running calls follow in the order in
     * which they become due. Blocked, resolved and discarded calls come last, also starting with the latest.
     *
     * @param filter selects the calls
     * @param cursor the cursor of the previous page; {@code null} for the first page
     * @param limit the maximum number of calls, at least 1
     * @return the page
     * @throws IllegalArgumentException if the cursor is not valid, or the limit is below 1
     */
    Page list(Filter filter, @Nullable String cursor, int limit);

    /**
     * Counts calls by name, error and state.
     *
     * @param filter selects the calls
     * @param limit the maximum number of groups, at least 1
     * @return the groups, the largest first
     */
    List<Group> groups(Filter filter, int limit);

    /**
     * Counts the calls that a filter selects.
     *
     * @param filter selects the calls
     * @return the number of calls
     */
    long count(Filter filter);

    /**
     * Runs the next attempt of a waiting call now. If the call is paused, it runs when it is resumed.
     *
     * @param id the id of the call
     * @return {@code false} if the call does not exist or is not waiting
     */
    boolean runNow(String id);

    /**
     * Turns a waiting call into a dead letter. It has no further attempts unless it is resent.
     *
     * @param id the id of the call
     * @param reason why the call is given up, or {@code null}
     * @return {@code false} if the call does not exist or is not waiting
     */
    boolean giveUp(String id, @Nullable String reason);

    /**
     * Resends a dead letter without a delay. See {@link #resend(String, Duration)}.
     *
     * @param id the id of the call
     * @return whether the call is resent
     * @throws IllegalStateException if no call can be resent; the message states the reason
     */
    default boolean resend(String id) {
        return resend(id, Duration.ZERO);
    }

    /**
     * Resends a dead letter. The call waits again, and runs through the bean's proxy. It keeps its id and its
     * arguments, but its attempts are counted anew. If the call succeeds, it becomes {@link StoredCall.State#RESOLVED}.
     * If it fails permanently, it is dead again, with the failures of all runs.
     *
     * <p>A worker in any process runs the call, even if its method is not durable, and the call survives a crash. The
     * result of the call is ignored, and recovery methods are not called.
     *
     * @param id the id of the call
     * @param delay the time to wait before the call runs, from zero to 365 days
     * @return {@code false} if the call does not exist, is not dead, or cannot run. A call that cannot run is dead with
     *     the reason {@link StopReason#UNRESOLVABLE}
     * @throws IllegalArgumentException if the delay is negative, or longer than 365 days
     * @throws IllegalStateException if no call can be resent, because no running process has threads for stored calls;
     *     the message states the reason
     */
    boolean resend(String id, Duration delay);

    /**
     * Discards a dead letter that is no longer needed.
     *
     * @param id the id of the call
     * @param reason why the call is discarded, or {@code null}
     * @return {@code false} if the call does not exist or is not dead
     */
    boolean discard(String id, @Nullable String reason);

    /**
     * Runs the next attempts of waiting calls now, in the background.
     *
     * @param filter selects the calls; only waiting calls are changed. If {@code before} is not set, calls whose first
     *     attempt is planned for later are not changed
     * @param bulk the rate and the mode of the task
     * @return the task that changes the calls
     * @throws IllegalArgumentException if {@code bulk} is neither confirmed nor a dry run
     * @throws IllegalStateException if another task of the application is running
     */
    Task runAllNow(Filter filter, Bulk bulk);

    /**
     * Turns waiting calls into dead letters in the background.
     *
     * @param filter selects the calls, as for {@link #runAllNow}
     * @param reason why the calls are given up, or {@code null}
     * @param bulk the rate and the mode of the task
     * @return the task that changes the calls
     * @throws IllegalArgumentException if {@code bulk} is neither confirmed nor a dry run
     * @throws IllegalStateException if another task of the application is running
     */
    Task giveUpAll(Filter filter, @Nullable String reason, Bulk bulk);

    /**
     * Resends dead letters in the background, one after another, starting with the call that died last. Calls that die
     * after the start of the task are not included.
     *
     * @param filter selects the calls; only dead calls are changed
     * @param bulk the rate and the mode of the task
     * @return the task that changes the calls
     * @throws IllegalArgumentException if {@code bulk} is neither confirmed nor a dry run
     * @throws IllegalStateException if another task of the application is running, or if no call can be resent; the
     *     message states the reason
     */
    Task resendAll(Filter filter, Bulk bulk);

    /**
     * Discards dead letters in the background, in the same order as {@link #resendAll}.
     *
     * @param filter selects the calls; only dead calls are changed
     * @param reason why the calls are discarded, or {@code null}
     * @param bulk the rate and the mode of the task
     * @return the task that changes the calls
     * @throws IllegalArgumentException if {@code bulk} is neither confirmed nor a dry run
     * @throws IllegalStateException if another task of the application is running
     */
    Task discardAll(Filter filter, @Nullable String reason, Bulk bulk);

    /**
     * {@return the running task, or else the task that any process started last; empty if no task ran within the last
     * day}
     */
    Optional<Task> task();

    /**
     * Returns a view that records a person as the user who gives up, resends or discards calls.
     *
     * @param who the name of the person
     * @return the view
     */
    StoredCalls by(String who);

    /**
     * Selects calls. A condition that is {@code null} matches all calls, and so does an empty set of states.
     *
     * @param states the states
     * @param name the name of the method in events and meters
     * @param errorType the class of the last error
     * @param lane the lane of the call
     * @param text a part of the id, of the method, of the error class or, for calls that have died, of the error
     *     message; not case-sensitive
     * @param from the earliest time at which a call died or, if it is waiting or running, was first attempted
     * @param before the end of the time range, exclusive
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
         * @param text a part of the id, the method, the error class or the error message, or {@code null}
         * @param from the earliest time, or {@code null}
         * @param before the end of the time range, exclusive, or {@code null}
         */
        public Filter {
            states = Set.copyOf(states);
        }

        /**
         * Returns a filter that selects the calls in any of the given states.
         *
         * @param first a state
         * @param others more states
         * @return the filter
         */
        public static Filter of(StoredCall.State first, StoredCall.State... others) {
            return new Filter(EnumSet.of(first, others), null, null, null, null, null, null);
        }

        /**
         * Returns a copy of this filter with another method name.
         *
         * @param wanted the name of the method, or {@code null}
         * @return the copy
         */
        public Filter withName(@Nullable String wanted) {
            return new Filter(states, wanted, errorType, lane, text, from, before);
        }

        /**
         * Returns a copy of this filter with another error class.
         *
         * @param wanted the class of the last error, or {@code null}
         * @return the copy
         */
        public Filter withErrorType(@Nullable String wanted) {
            return new Filter(states, name, wanted, lane, text, from, before);
        }

        /**
         * Returns a copy of this filter with another lane.
         *
         * @param wanted the lane, or {@code null}
         * @return the copy
         */
        public Filter withLane(@Nullable String wanted) {
            return new Filter(states, name, errorType, wanted, text, from, before);
        }

        /**
         * Returns a copy of this filter with another text.
         *
         * @param part a part of the id, the method, the error class or the error message, or {@code null}
         * @return the copy
         */
        public Filter withText(@Nullable String part) {
            return new Filter(states, name, errorType, lane, part, from, before);
        }

        /**
         * Returns a copy of this filter with another time range.
         *
         * @param first the earliest time, or {@code null}
         * @param end the end of the time range, exclusive, or {@code null}
         * @return the copy
         */
        public Filter withTimes(@Nullable Instant first, @Nullable Instant end) {
            return new Filter(states, name, errorType, lane, text, first, end);
        }
    }

    /**
     * A call in a list. To save memory, a summary has no arguments, stack trace or failures.
     *
     * @param id the id of the call
     * @param name the name of the method
     * @param state the state of the call
     * @param reason why the call died; {@code null} if it is waiting or running
     * @param errorType the class of the last error; {@code null} if no attempt has failed, or if the last attempt
     *     returned a value that must be retried
     * @param errorMessage the message of the last error; {@code null} if the call is waiting or running
     * @param lane the lane of the call
     * @param attempts the number of attempts since the call began or was last resent
     * @param startedAt when the first attempt ran or failed, or is planned; {@code null} if unknown
     * @param due when the next attempt of a waiting or running call is or was due; otherwise {@code null}
     * @param diedAt when the call died; {@code null} if it is waiting or running
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

        /**
         * Returns the name, the state and the error of the call, without the error message, which can contain secrets.
         */
        @Override
        public String toString() {
            return "Summary[" + id + " " + name + " " + state + (errorType == null ? "" : ": " + errorType) + "]";
        }
    }

    /**
     * A page of a list.
     *
     * @param calls the calls; {@link #find} returns all data of a call
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
     * @param state the state of the calls; {@link StoredCall.State#WAITING} includes running calls
     * @param count the number of calls
     * @param oldest when the oldest of the calls died or, if it waits, was first attempted; {@code null} if unknown
     * @param newest when the newest of the calls died; {@code null} for waiting calls
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
     * @param dryRun whether the calls are only counted
     * @param confirm whether the caller confirms the action; required unless this is a dry run
     */
    record Bulk(int maxPerSecond, boolean dryRun, boolean confirm) {

        /** The default number of calls per second: {@value}. */
        public static final int DEFAULT_PER_SECOND = 50;

        /** The highest allowed number of calls per second: {@value}. */
        public static final int MAX_PER_SECOND = 10_000;

        /**
         * Creates the settings of a task.
         *
         * @param maxPerSecond the maximum number of calls per second
         * @param dryRun whether the calls are only counted
         * @param confirm whether the caller confirms the action
         * @throws IllegalArgumentException if the rate is out of bounds
         */
        public Bulk {
            if (maxPerSecond < 1 || maxPerSecond > MAX_PER_SECOND) {
                throw new IllegalArgumentException(
                        "maxPerSecond is '" + maxPerSecond + "', but must be between 1 and " + MAX_PER_SECOND);
            }
        }

        /**
         * Returns the settings of a confirmed task.
         *
         * @param maxPerSecond the maximum number of calls per second
         * @return the confirmed settings
         */
        public static Bulk confirmed(int maxPerSecond) {
            return new Bulk(maxPerSecond, false, true);
        }

        /** {@return the settings of a dry run, which only counts the calls} */
        public static Bulk dry() {
            return new Bulk(DEFAULT_PER_SECOND, true, false);
        }
    }

    /**
     * A background task that changes many calls. An application runs one task at a time. The task is stored. If its
     * process ends, another process continues it, or the same process after a restart. The methods read its progress
     * from the store.
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
         * {@return the number of calls that the task has changed so far, except calls that {@link #cancel} has
         * restored}
         *
         * <p>If the task resends calls or runs them now, it sets their due times up to ten seconds in advance.
         */
        long moved();

        /**
         * {@return the number of calls that were skipped, because their state no longer allowed the action or because
         * they cannot run}
         */
        long skipped();

        /** {@return the time at which the task started} */
        Instant startedAt();

        /**
         * {@return the exclusive upper bound of the times at which the calls of this task died or started}
         *
         * <p>After a dry run, pass this bound to the filter of the real task, which then changes only calls that the dry
         * run counted.
         */
        Instant before();

        /**
         * {@return a sentence that explains why the task has failed; {@code null} unless its state is
         * {@link State#FAILED}}
         */
        @Nullable String failure();

        /**
         * Cancels the task before the next call, in whichever process it runs. If no worker has started a call since
         * the task changed its due time, the old due time is restored, and a resent call is dead again. Other calls are
         * not restored.
         *
         * @return {@code false} if the task has already ended
         */
        boolean cancel();

        /** The actions of tasks. */
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

        /** The states of a task. */
        enum State {

            /** The task was a dry run, which has only counted the calls. */
            DRY_RUN,

            /** The task has not changed all calls yet, or some resent calls are still running. */
            RUNNING,

            /** The task has changed all calls, and the resent calls have ended. */
            DONE,

            /** The task was cancelled. */
            CANCELLED,

            /** The store has rejected a change. If the store does not respond, the task waits instead of failing. */
            FAILED
        }
    }
}
