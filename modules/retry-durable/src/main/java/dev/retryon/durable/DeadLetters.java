// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterSummary;
import dev.retryon.spring.Redacted;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lists, resends and discards dead letters: calls that have failed permanently. If the application has a
 * database for stored calls, there is a bean of this type. {@link Redacted} arguments are hidden in all results. Thread-safe;
 * several processes may share a store.
 *
 * <p>Exceptions of the store reach the caller. If the status of a dead letter does not allow an action, the method
 * returns {@code false}.
 *
 * @since 0.1.0
 */
public interface DeadLetters {

    /**
     * Finds a dead letter.
     *
     * @param id its id, that of the call
     * @return the dead letter, or empty if there is none
     */
    Optional<DeadLetter> find(String id);

    /**
     * Lists dead letters, most recently died first.
     *
     * @param filter which
     * @param cursor the cursor of the previous page; {@code null} for the first page
     * @param limit the maximum number of dead letters, at least 1
     * @return the page
     * @throws IllegalArgumentException if the cursor is not valid, or the limit is below 1
     */
    Page list(DeadLetterFilter filter, @Nullable String cursor, int limit);

    /**
     * Counts dead letters by name and error, the most frequent first.
     *
     * @param filter which
     * @param limit the maximum number of groups, at least 1
     * @return the groups
     */
    List<Group> groups(DeadLetterFilter filter, int limit);

    /**
     * Counts dead letters.
     *
     * @param filter which
     * @return the number of dead letters
     */
    long count(DeadLetterFilter filter);

    /**
     * Resends a call without a delay. See {@link #retry(String, Duration)}.
     *
     * @param id its id
     * @return whether the call is resent
     * @throws IllegalStateException if no call can be resent, with the reason
     */
    default boolean retry(String id) {
        return retry(id, Duration.ZERO);
    }

    /**
     * Resends a call. It runs through the bean's proxy, with its id, its arguments and a new count of attempts. If it
     * succeeds, the dead letter becomes {@link DeadLetterStatus#RESOLVED}. If it fails permanently, the dead letter
     * becomes {@link DeadLetterStatus#DEAD} again, with the failures of all runs.
     *
     * <p>The call is stored as a durable call, even if its method is not durable. It survives a crash, and a worker of any
     * process runs it. Its result is dropped, and recovery methods are not called.
     *
     * @param id its id
     * @param delay the time to wait before the call runs, from zero to 365 days
     * @return {@code false} if there is no such dead letter, if it is not dead, or if the call can't run. In the last
     *     case the dead letter has the reason {@link dev.retryon.StopReason#UNRESOLVABLE}
     * @throws IllegalArgumentException if the delay is negative, or longer than 365 days
     * @throws IllegalStateException if no call can be resent, with the reason: no running process has threads for stored
     *     calls
     */
    boolean retry(String id, Duration delay);

    /**
     * Discards a dead letter, because it is no longer needed.
     *
     * @param id its id
     * @param reason why, or {@code null}
     * @return {@code false} if there is no such dead letter, or if it is not dead: resolved, discarded, or being resent
     */
    boolean discard(String id, @Nullable String reason);

    /**
     * Resends calls in the background, one after the other, most recently died first. Calls that die after the start
     * of the task are not included.
     *
     * @param filter which; of those the dead ones
     * @param bulk how
     * @return the task
     * @throws IllegalArgumentException if the bulk is neither confirmed nor a dry run
     * @throws IllegalStateException if another task runs in this process, or if no call can be resent, with the reason
     */
    Task retryAll(DeadLetterFilter filter, Bulk bulk);

    /**
     * Discards dead letters in the background, in the same order as {@link #retryAll}.
     *
     * @param filter which; of those the dead ones
     * @param reason why, or {@code null}
     * @param bulk how
     * @return the task
     * @throws IllegalArgumentException if the bulk is neither confirmed nor a dry run
     * @throws IllegalStateException if another task runs in this process
     */
    Task discardAll(DeadLetterFilter filter, @Nullable String reason, Bulk bulk);

    /** {@return the task that was started last in this process, running or not; empty if there was none} */
    Optional<Task> task();

    /**
     * Returns a view that records a person as the author of each action.
     *
     * @param who the name of the person
     * @return the view
     */
    DeadLetters by(String who);

    /**
     * The rate and the mode of a task.
     *
     * @param maxPerSecond the maximum number of dead letters per second, from 1 to {@value #MAX_PER_SECOND}
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
         * @param maxPerSecond the maximum number of dead letters per second
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
         * @param maxPerSecond the maximum number of dead letters per second
         * @return a confirmed bulk
         */
        public static Bulk confirmed(int maxPerSecond) {
            return new Bulk(maxPerSecond, false, true);
        }

        /** {@return a bulk that only counts the dead letters} */
        public static Bulk dry() {
            return new Bulk(DEFAULT_PER_SECOND, true, false);
        }
    }

    /** A background task that resends or discards many dead letters. */
    interface Task {

        /** {@return the id of the task} */
        String id();

        /** {@return the action: {@link DeadLetterStatus#RETRYING} or {@link DeadLetterStatus#DISCARDED}} */
        DeadLetterStatus action();

        /** {@return the state of the task} */
        State state();

        /** {@return the number of dead letters that matched the filter when the task started} */
        long matched();

        /** {@return the number of dead letters that the task has resent or discarded so far} */
        long moved();

        /** {@return the number of dead letters whose status no longer allowed the action, or whose calls can't run} */
        long skipped();

        /** {@return the time at which the task started} */
        Instant startedAt();

        /**
         * {@return the upper bound for the time at which the dead letters of this task died, exclusive}
         *
         * <p>After a dry run, pass it to the filter of the real task, so that the task changes no dead letter that the
         * dry run did not count.
         */
        Instant before();

        /** {@return a sentence about why the task has failed; {@code null} unless it is {@link State#FAILED}} */
        @Nullable String failure();

        /**
         * Cancels the task before the next dead letter. Calls that it has already resent continue.
         *
         * @return {@code false} if the task has already ended
         */
        boolean cancel();

        /** The state of a task. */
        enum State {

            /** A dry run: the task has only counted the dead letters. */
            DRY_RUN,

            /** The task has not processed all dead letters yet, or some resent calls are still running. */
            RUNNING,

            /** The task has processed all dead letters, and the resent calls have ended. */
            DONE,

            /** The task was cancelled, or the application is shutting down. */
            CANCELLED,

            /** The store has failed. */
            FAILED
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
}
