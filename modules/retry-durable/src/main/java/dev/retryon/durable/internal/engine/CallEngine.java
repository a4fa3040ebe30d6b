// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stores calls that run later, and passes each that is due to one worker among all processes that share the store. A {@link
 * CallStore} lists and changes them. Thread-safe.
 */
public interface CallEngine {

    /**
     * Stores a call with one statement, in the transaction of {@link #transactions()}.
     *
     * @param key a key of at most 64 characters, which is free again when the call has ended; {@code null} for none
     * @param id the id of the call
     * @param call the call, whose content is opaque to the engine
     * @param label the part of the call that lists show
     * @param due when the call is due
     * @return {@code false} if a call with the same key waits or runs, so that this one was not stored. That call is looked at again
     *     before the transaction of the thread commits. If it is running then, it runs once more; if it has ended, this call is stored
     * @throws RuntimeException if the call could not be stored, or if a call with this id exists
     */
    boolean add(@Nullable String key, String id, byte[] call, Label label, Instant due);

    /**
     * Stores a call that runs after the calls that were stored with its key before, in the transaction of {@link #transactions()}.
     * Transactions that store calls with a key wait for each other.
     *
     * @param key a key of at most 64 characters
     * @param id the id of the call
     * @param call the call, whose content is opaque to the engine
     * @param label the part of the call that lists show
     * @param due when the call is due, unless it is blocked then
     * @throws RuntimeException if the call could not be stored, or if a call with this id exists
     */
    void addInOrder(String key, String id, byte[] call, Label label, Instant due);

    /** {@return how this engine takes part in transactions, always the same} */
    Transactions transactions();

    /**
     * Notifies the engine that the transaction of a stored call has committed, so that the call starts on time and
     * not only after the next poll. Does nothing by default.
     *
     * @param label the part of the call that lists show
     * @param due when the call is due
     */
    default void wake(Label label, Instant due) {}

    /**
     * Notifies the engine that calls of a lane may start that were stored or were not let start before. Does nothing by default.
     *
     * @param lane the lane
     * @param due when they may start
     */
    default void wake(String lane, Instant due) {}

    /**
     * Starts to pass calls to the worker.
     *
     * @param worker receives calls that are due, on threads of the engine
     */
    void start(Worker worker);

    /** Stops passing calls to the worker, and waits for running calls. Calls that take too long are interrupted. */
    void stop();

    /**
     * Returns the number of waiting calls of all processes, and when the next one is due, by lane.
     *
     * @return the calls that no worker has leased; a lane without such a call may be missing
     * @throws RuntimeException if the store can't be read
     */
    Map<String, Backlog> backlog();

    /**
     * Returns the number of waiting calls of some methods of all processes, and when the first of them is or was due.
     *
     * @param methods selects methods, as in {@link Label}
     * @throws RuntimeException if the store can't be read
     */
    Backlog backlog(Predicate<String> methods);

    /**
     * {@return why this process can't run calls at the moment, as a sentence for the health endpoint; {@code null} if it
     * can, which is the default}
     */
    default @Nullable String problem() {
        return null;
    }

    /**
     * The part of a call that lists show.
     *
     * @param name the name of the method, as in events
     * @param errorType the class of the last error; {@code null} if no attempt has failed, or if it returned a value
     *     that must be retried
     * @param attempt the number of attempts that have run
     * @param startedAt when the first attempt ran, or when the call was stored before its first attempt
     * @param lane the lane of the call, which is {@code default} unless its method has another one
     * @param method the method of the call, as {@link Worker#delay} knows it; at most 100 characters
     */
    record Label(String name, @Nullable String errorType, int attempt, Instant startedAt, String lane, String method) {}

    /**
     * Receives the calls that may start in this process. The engine asks before it leases a call, so that no lease is taken and
     * given back. All calls may start by default. Thread-safe.
     */
    @FunctionalInterface
    interface Worker {

        /** Receives a call; never throws. */
        void accept(CallLease lease);

        /**
         * Returns how long after they are due calls of a method may start.
         *
         * @param method the method, as in {@link Label}
         * @return the time; {@code null} if no call of the method may start in this process at the moment
         */
        default @Nullable Duration delay(String method) {
            return Duration.ZERO;
        }

        /**
         * Returns for how long no call of a lane may start.
         *
         * @param lane the lane, as in {@link Label}
         * @return the time; zero if a call may start now
         */
        default Duration closedFor(String lane) {
            return Duration.ZERO;
        }

        /**
         * Permits a call to start.
         *
         * @param lane the lane, as in {@link Label}
         * @param id the id of the call
         * @return {@code false} if it must not start now
         */
        default boolean enter(String lane, String id) {
            return true;
        }

        /** Takes the permission back, because the call was not leased. The parameters are those of {@link #enter}. */
        default void cancel(String lane, String id) {}
    }

    /**
     * The calls of a lane that no worker has leased.
     *
     * @param waiting the number of calls
     * @param nextDue when the first of them is or was due; {@code null} if there is none
     */
    record Backlog(long waiting, @Nullable Instant nextDue) {

        /** No calls. */
        public static final Backlog NONE = new Backlog(0, null);

        /** Returns these calls and others. */
        public Backlog plus(Backlog other) {
            boolean isFirst = other.nextDue == null || (nextDue != null && nextDue.isBefore(other.nextDue));
            return new Backlog(waiting + other.waiting, isFirst ? nextDue : other.nextDue);
        }

        /**
         * Returns how long the first call has been due.
         *
         * @return the time; zero if no call is due
         */
        public Duration lag(Instant now) {
            return nextDue == null || nextDue.isAfter(now) ? Duration.ZERO : Duration.between(nextDue, now);
        }
    }

    /**
     * How an engine takes part in transactions. {@code CallEngine} and {@link CallLease} write only within a method of
     * this type. Thread-safe.
     */
    interface Transactions {

        /**
         * Runs a write in the transaction of the thread: it takes effect when the transaction commits. Without a
         * transaction, or if it has completed, the write takes effect immediately.
         *
         * @param write a single write
         * @param apartFromOthers whether the write takes effect immediately if this engine can't join the transaction of
         *     the thread
         * @throws org.springframework.transaction.IllegalTransactionStateException if it can't join the transaction, and
         *     the write must not take effect immediately; nothing is written
         */
        default void joinSingle(Runnable write, boolean apartFromOthers) {
            write.run();
        }

        /**
         * Like {@link #joinSingle} for several writes, of which all or none take effect.
         *
         * @param writes the writes
         * @param apartFromOthers as in {@link #joinSingle}
         */
        default void join(Runnable writes, boolean apartFromOthers) {
            joinSingle(writes, apartFromOthers);
        }

        /**
         * Runs a write that takes effect immediately, whatever happens to the transaction of the thread.
         *
         * @param write a single write
         */
        default void writeSingle(Runnable write) {
            writeAll(write);
        }

        /**
         * Runs several writes like {@link #write}.
         *
         * @param writes the writes; an exception discards them
         */
        default void writeAll(Runnable writes) {
            this.<@Nullable Void>write(() -> {
                writes.run();
                return null;
            });
        }

        /**
         * Runs several writes, of which all or none take effect, whatever happens to the transaction of the thread.
         *
         * @param <T> the type of the result
         * @param writes the writes; an exception discards them
         * @return the result of the writes
         */
        <T extends @Nullable Object> T write(Supplier<T> writes);
    }
}
