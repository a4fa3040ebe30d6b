// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.engine;

import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stores calls in all states, and passes each that is due to one worker among all processes that share the store.
 * Thread-safe.
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
     * Makes the call of a dead letter due, which then is {@link DeadLetterStatus#RETRYING}. Takes part in {@link
     * #transactions()}.
     *
     * @param action the action that resends it
     * @param id the id of the dead letter and of the call
     * @param call the call, whose content is opaque to the engine
     * @param label the part of the call that lists show
     * @param due when the call is due
     * @return {@code false} if there is no dead letter of this id that is dead
     */
    boolean resend(DeadLetter.Action action, String id, byte[] call, Label label, Instant due);

    /** {@return how this engine takes part in transactions, always the same} */
    Transactions transactions();

    /** {@return the clock by which calls are due, always the same; the system clock by default} */
    default InstantSource clock() {
        return InstantSource.system();
    }

    /**
     * Notifies the engine that the transaction of a stored call has committed, so that the call starts on time and
     * not only after the next poll. Does nothing by default.
     *
     * @param lane the lane of the call
     * @param due when the call is due
     */
    default void wake(String lane, Instant due) {}

    /**
     * Starts to pass calls to the worker.
     *
     * @param worker receives calls that are due, on threads of the engine; it never throws
     */
    void start(Consumer<CallLease> worker);

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
     * Stops passing calls with a name to the worker of this process for some time, because other processes run them or
     * an operator has paused them.
     *
     * @param name the name of the method, as in {@link Label}
     * @param time how long
     * @return {@code false} if this engine can't do that, which is the default
     */
    default boolean skip(String name, Duration time) {
        return false;
    }

    /**
     * Stops passing calls of a lane to the worker of this process for some time, because an operator has paused them, or
     * because the lane has reached its rate or is being probed. A later call of this method replaces the time, also by a
     * shorter one. It may be called before and after each attempt. An engine that can't do this passes the calls one by
     * one, and the worker postpones each.
     *
     * @param lane the lane, as in {@link Label}
     * @param time how long; zero to look for calls of the lane immediately
     * @return {@code false} if this engine can't do that, which is the default
     */
    default boolean skipLane(String lane, Duration time) {
        return false;
    }

    /**
     * {@return why this process can't run calls at the moment, as a sentence for the health endpoint; {@code null} if it
     * can, which is the default}
     */
    default @Nullable String problem() {
        return null;
    }

    /** {@return the ledger, which lists the stored calls and can change when they are due} */
    CallLedger ledger();

    /**
     * The part of a call that lists show.
     *
     * @param name the name of the method, as in events
     * @param errorType the class of the last error; {@code null} if no attempt has failed, or if it returned a value
     *     that must be retried
     * @param attempt the number of attempts that have run
     * @param startedAt when the first attempt ran, or when the call was stored before its first attempt
     * @param lane the lane of the call, which is {@code default} unless its method has another one
     */
    record Label(String name, @Nullable String errorType, int attempt, Instant startedAt, String lane) {}

    /**
     * The calls of a lane that no worker has leased.
     *
     * @param waiting the number of calls
     * @param nextDue when the first of them is or was due; {@code null} if there is none
     */
    record Backlog(long waiting, @Nullable Instant nextDue) {}

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
         * Runs a write that takes effect immediately, whatever happens to the transaction of the thread.
         *
         * @param write a single write
         */
        default void writeSingle(Runnable write) {
            this.<@Nullable Void>write(() -> {
                write.run();
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
