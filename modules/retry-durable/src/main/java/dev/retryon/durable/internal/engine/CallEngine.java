// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stores calls that run later, and passes each due call to one worker among all processes that share the store. A
 * {@link CallStore} lists and changes them. Thread-safe.
 */
public interface CallEngine {

    /**
     * Stores a call with one statement, in the transaction of {@link #transactions()}.
     *
     * @param key a key of at most 64 characters, which is free again when the call has ended; {@code null} for none
     * @param call the call, whose content is opaque to the engine
     * @return {@code false} if a call with the same key is waiting or running, so that this call was not stored. The
     *     other call is checked again before the thread's transaction commits. If the other call is running at that
     *     time, it runs once more; if it has ended, this call is stored
     * @throws RuntimeException if the call could not be stored, or if a call with this id exists
     */
    boolean add(@Nullable String key, String id, byte[] call, Label label, Instant due);

    /**
     * Stores a call that runs after all earlier calls with its key, in the transaction of {@link #transactions()}.
     * Transactions that store calls with a key wait for each other.
     *
     * @param key a key of at most 64 characters
     * @param due when the call is due, unless it is blocked at that time
     * @throws RuntimeException if the call could not be stored, or if a call with this id exists
     */
    void addInOrder(String key, String id, byte[] call, Label label, Instant due);

    /** {@return how this engine takes part in transactions, which is always the same object} */
    Transactions transactions();

    /** Notifies the engine of the commit of a stored call, which then starts on time and not only after the next poll. */
    default void wake(Label label, Instant due) {}

    /** Notifies the engine that calls in a lane may start: new calls, or calls that were not allowed to start before. */
    default void wake(String lane, Instant due) {}

    /** Starts to pass due calls to the worker, on the engine's threads. */
    void start(Worker worker);

    /** Stops passing calls to the worker, and waits for running calls. Calls that take too long are interrupted. */
    void stop();

    /**
     * Returns the calls of all processes that no worker has leased, by lane. A lane without such a call can be missing.
     *
     * @throws RuntimeException if the store cannot be read
     */
    Map<String, Backlog> backlog();

    /**
     * Returns the waiting calls of all processes to the selected methods.
     *
     * @param methods selects methods, as in {@link Label}
     * @throws RuntimeException if the store cannot be read
     */
    Backlog backlog(Predicate<String> methods);

    /** {@return why this process cannot run calls now, as a sentence for the health endpoint, or {@code null} if it can} */
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
     * Receives the calls that may start in this process. The engine asks before it leases a call, to avoid leases that are
     * returned unused. All calls may start by default. Methods and lanes are as in {@link Label}. Thread-safe.
     */
    @FunctionalInterface
    interface Worker {

        /** Receives a call; never throws. */
        void accept(CallLease lease);

        /** Returns how long a method's calls must wait after they are due; {@code null} if none may start here at the moment. */
        default @Nullable Duration delay(String method) {
            return Duration.ZERO;
        }

        /** Returns how long no call in a lane may start; zero if a call may start now. */
        default Duration closedFor(String lane) {
            return Duration.ZERO;
        }

        /** Permits a call to start, or returns {@code false} if the call must not start now. */
        default boolean enter(String lane, String id) {
            return true;
        }

        /** Withdraws the permission of {@link #enter}, because the call was not leased. */
        default void cancel(String lane, String id) {}
    }

    /** The calls in a lane that no worker has leased, and when the first is or was due; {@code null} without such calls. */
    record Backlog(long waiting, @Nullable Instant nextDue) {

        public static final Backlog NONE = new Backlog(0, null);

        public Backlog plus(Backlog other) {
            boolean isFirst = other.nextDue == null || (nextDue != null && nextDue.isBefore(other.nextDue));
            return new Backlog(waiting + other.waiting, isFirst ? nextDue : other.nextDue);
        }

        /** Returns how long the first call has been due, or zero if no call is due. */
        public Duration lag(Instant now) {
            return nextDue == null || nextDue.isAfter(now) ? Duration.ZERO : Duration.between(nextDue, now);
        }
    }

    /** Takes part in transactions. {@code CallEngine} and {@link CallLease} write only within these methods. Thread-safe. */
    interface Transactions {

        /**
         * Runs a write in the thread's transaction. The write takes effect when the transaction commits. Without a
         * transaction, or if it has completed, the write takes effect immediately.
         *
         * @param apartFromOthers whether the write takes effect immediately if this engine cannot join the thread's
         *     transaction
         * @throws org.springframework.transaction.IllegalTransactionStateException if the engine cannot join the
         *     transaction, and the write must not take effect immediately; nothing is written
         */
        default void joinSingle(Runnable write, boolean apartFromOthers) {
            write.run();
        }

        /**
         * Runs several writes like {@link #joinSingle}, of which all or none take effect. An exception discards all of
         * them.
         */
        default void join(Runnable writes, boolean apartFromOthers) {
            joinSingle(writes, apartFromOthers);
        }

        /** Runs one write that takes effect immediately, whatever happens to the transaction of the thread. */
        default void writeSingle(Runnable write) {
            writeAll(write);
        }

        /** Runs several writes like {@link #write}. */
        default void writeAll(Runnable writes) {
            this.<@Nullable Void>write(() -> {
                writes.run();
                return null;
            });
        }

        /**
         * Runs several writes, of which all or none take effect, whatever happens to the thread's transaction. An
         * exception discards all of them.
         */
        <T extends @Nullable Object> T write(Supplier<T> writes);
    }
}
