// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import dev.retryon.deadletter.DeadLetter;
import org.jspecify.annotations.Nullable;

/** A store of dead letters in the database that stores calls. An interface, because a proxy of the store has it too. */
public interface DatabaseLetters {

    /** Returns a right that the user certainly lacks, and what to do about it; {@code null} if nothing is known to be missing. */
    @Nullable String missingRight();

    /** Whether the dead letters change together with the calls of a store, in one transaction. */
    boolean isIn(RetryStore store);

    /**
     * Turns a stored call into a dead letter, with the errors and actions of both if it was dead before. Its lease ends.
     *
     * @return {@code false} if the call was changed: nothing is written
     */
    boolean die(String id, long version, DeadLetter letter);

    /**
     * Ends a call that is run for a dead letter, and its lease.
     *
     * @return {@code false} if the call was changed: nothing is written
     */
    boolean end(String id, long version, DeadLetter.Action action);

    /**
     * Registers a write to be started after the transaction of the thread, if other threads can't write while it lasts.
     *
     * @param write starts the write on another thread, and does not wait for it
     * @return {@code false} if other threads can write: the write was not registered
     */
    boolean afterCaller(Runnable write);
}
