/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The calls that have failed for good and were kept: to look at them, to send them again, to discard them. A bean of this type
 * is there where the application has a {@link DeadLetterStore}. Arguments that are {@link Redacted} are hidden in all that it
 * returns. Thread-safe; several processes may share a store.
 *
 * <p>Whatever the store throws is thrown. That a dead letter is in no state for what is asked is never an error: the answer is
 * {@code false}.
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
     * Lists dead letters, those that died last first.
     *
     * @param filter which
     * @param cursor where to go on: the cursor of the page before; {@code null} for the first page
     * @param limit how many at most, at least 1
     * @return the page
     * @throws IllegalArgumentException if the cursor is none, or the limit is below 1
     */
    DeadLetterStore.Page list(DeadLetterFilter filter, @Nullable String cursor, int limit);

    /**
     * Counts dead letters by name and error, the most frequent first.
     *
     * @param filter which
     * @param limit how many groups at most, at least 1
     * @return the groups
     */
    List<DeadLetterStore.Group> groups(DeadLetterFilter filter, int limit);

    /**
     * Counts dead letters.
     *
     * @param filter which
     * @return how many there are
     */
    long count(DeadLetterFilter filter);

    /**
     * Sends a call again, at once and on another thread. See {@link #retry(String, Duration)}.
     *
     * @param id its id
     * @return whether it is sent again
     */
    default boolean retry(String id) {
        return retry(id, Duration.ZERO);
    }

    /**
     * Sends a call again: through the bean's proxy, with its id, its arguments and a new count of attempts. If it succeeds, the
     * dead letter is {@link DeadLetterStatus#RESOLVED}; if it fails for good, it is {@link DeadLetterStatus#DEAD} again and
     * has the failures of both.
     *
     * <p>The call of a durable method is a durable call again: it survives this process, and any node runs it. Any other call runs
     * in this process. If the process ends meanwhile, the dead letter is dead again within a minute.
     *
     * @param id its id
     * @param delay when, from now on; zero for at once, and at most 365 days
     * @return {@code false} if there is no such dead letter, if it is not dead, or if the call can't be made: then the dead
     *     letter says {@link dev.retryon.StopReason#UNRESOLVABLE}
     * @throws IllegalArgumentException if the delay is negative, or longer than 365 days
     */
    boolean retry(String id, Duration delay);

    /**
     * Marks a dead letter as not needed any more.
     *
     * @param id its id
     * @param reason why, or {@code null}
     * @return {@code false} if there is no such dead letter, or if it is not dead: resolved, discarded, or being sent again
     */
    boolean discard(String id, @Nullable String reason);

    /**
     * Sends calls again: in the background, one after the other, those that died last first. Calls that die meanwhile are none
     * of them.
     *
     * @param filter which; of those the dead ones
     * @param bulk how
     * @return the task
     * @throws IllegalArgumentException if the bulk is neither confirmed nor a dry run
     * @throws IllegalStateException if another task runs in this process
     */
    Task retryAll(DeadLetterFilter filter, Bulk bulk);

    /**
     * Marks dead letters as not needed any more: in the background, as {@link #retryAll} does.
     *
     * @param filter which; of those the dead ones
     * @param reason why, or {@code null}
     * @param bulk how
     * @return the task
     * @throws IllegalArgumentException if the bulk is neither confirmed nor a dry run
     * @throws IllegalStateException if another task runs in this process
     */
    Task discardAll(DeadLetterFilter filter, @Nullable String reason, Bulk bulk);

    /**
     * The task that was started last in this process.
     *
     * @return the task, running or not; empty if there was none
     */
    Optional<Task> task();

    /**
     * The same dead letters in the name of a person, who is kept as the one who did what is done.
     *
     * @param who the name
     * @return a view of them
     */
    DeadLetters by(String who);

    /**
     * How many dead letters are dealt with at once.
     *
     * @param maxPerSecond how many a second at most, from 1 to {@value #MAX_PER_SECOND}
     * @param dryRun whether they are only counted
     * @param confirm whether it is meant: without, nothing but a dry run is done
     */
    record Bulk(int maxPerSecond, boolean dryRun, boolean confirm) {

        /** The default number per second: {@value}. */
        public static final int DEFAULT_PER_SECOND = 50;

        /** How many a second at most: {@value}. */
        public static final int MAX_PER_SECOND = 10_000;

        /**
         * Describes a bulk.
         *
         * @param maxPerSecond how many a second at most
         * @param dryRun whether they are only counted
         * @param confirm whether it is meant
         * @throws IllegalArgumentException if the rate is out of bounds
         */
        public Bulk {
            if (maxPerSecond < 1 || maxPerSecond > MAX_PER_SECOND) {
                throw new IllegalArgumentException(
                        "maxPerSecond is '" + maxPerSecond + "', but must be from 1 to " + MAX_PER_SECOND);
            }
        }

        /**
         * A bulk that is meant.
         *
         * @param maxPerSecond how many a second at most
         * @return a confirmed bulk
         */
        public static Bulk confirmed(int maxPerSecond) {
            return new Bulk(maxPerSecond, false, true);
        }

        /**
         * A bulk that only counts.
         *
         * @return a dry run
         */
        public static Bulk dry() {
            return new Bulk(DEFAULT_PER_SECOND, true, false);
        }
    }

    /** Many dead letters being dealt with. */
    interface Task {

        /**
         * Names the task.
         *
         * @return an id
         */
        String id();

        /**
         * What is done.
         *
         * @return {@link DeadLetterStatus#RETRYING} or {@link DeadLetterStatus#DISCARDED}
         */
        DeadLetterStatus action();

        /**
         * Where it stands.
         *
         * @return the state
         */
        State state();

        /**
         * How many dead letters there were when it was asked for.
         *
         * @return the count
         */
        long matched();

        /**
         * How many it has moved so far.
         *
         * @return the count
         */
        long moved();

        /**
         * How many it has passed by, because their state did not admit it any more or because they can't be made.
         *
         * @return the count
         */
        long skipped();

        /**
         * When it was started.
         *
         * @return the time
         */
        Instant startedAt();

        /**
         * The end of the time in which its dead letters died. Give it to the filter of a task that follows a dry run: then
         * dead letters that died since were neither counted nor are changed.
         *
         * @return the time before which they died
         */
        Instant before();

        /**
         * What has ended it.
         *
         * @return a sentence; {@code null} unless it is {@link State#FAILED}
         */
        @Nullable String failure();

        /**
         * Ends it before the next dead letter. Calls that it has sent again go on.
         *
         * @return {@code false} if it does not run any more
         */
        boolean cancel();

        /** Where a task stands. */
        enum State {

            /** It has only counted. */
            DRY_RUN,

            /** It is not through yet, or calls that it has sent again have not ended. */
            RUNNING,

            /** It has dealt with all of them, and the calls that it has sent again have ended. */
            DONE,

            /** It was cancelled, or the application is shutting down. */
            CANCELLED,

            /** The store has failed. */
            FAILED
        }
    }
}
