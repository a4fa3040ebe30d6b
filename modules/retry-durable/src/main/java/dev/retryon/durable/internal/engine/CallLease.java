// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.engine;

import dev.retryon.durable.StoredCall;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A call that is leased to this process until it is released or removed. If the process dies or is paused, the lease
 * expires and another process takes the call. Writes take part in {@link CallEngine#transactions()}.
 */
public interface CallLease {

    String id();

    /** {@return the stored content of the call, which can be invalid or come from another version of the application} */
    byte[] call();

    String lane();

    /** {@return the method of the call, as in {@link CallEngine.Label}, or as it was {@linkplain #postpone postponed}} */
    String method();

    /** {@return since when no process could run the call because of its content, or {@code null} if this is unknown} */
    @Nullable Instant unfitSince();

    /** {@return when the call was due, as given to {@link CallEngine#add}, {@link #release} or {@link #postpone}} */
    Instant due();

    /**
     * {@return whether a worker has leased the call since its content was last stored, and has lost the lease} The
     * attempt might have run.
     */
    boolean isRevived();

    /** {@return whether the call has an order key, so that its end takes several statements} */
    default boolean isOrdered() {
        return false;
    }

    /** {@return whether the lease is valid and can still be confirmed, as far as this process knows without a query} */
    boolean isValid();

    /**
     * Ends the lease after an attempt, with one statement. The call is due again.
     *
     * @throws LeaseLostException if the lease has expired and another process has taken the call
     */
    void release(byte[] call, CallEngine.Label label, Instant due);

    /**
     * Ends the lease without an attempt, with one statement. The content of the call does not change. A call that
     * {@linkplain #isRevived was revived} stays revived, because the lost attempt is not counted yet.
     *
     * @param method the method of the call from now on, by which {@link CallEngine.Worker#delay} knows it
     * @param unfitSince since when no process could run the call because of its content; {@code null} for no time
     * @throws LeaseLostException if the lease has expired and another process has taken the call
     */
    void postpone(String method, @Nullable Instant unfitSince, Instant due);

    /**
     * Ends the lease and deletes the call, unless another call with its key was not stored while this one ran.
     *
     * @return {@code false} if the call must run again; in this case, it is still leased, and can be
     *     {@linkplain #release released}
     * @throws LeaseLostException if the lease has expired and another process has taken the call
     */
    boolean remove();

    /**
     * Ends the lease of a call that has failed permanently, unless another call with its key was not stored while this
     * one ran. The call becomes a dead letter, with the failures and actions of both if it was one before.
     *
     * @param letter the dead letter, of state {@code DEAD}
     * @return {@code false} if the call must run again, as for {@link #remove}
     * @throws LeaseLostException if the lease has expired and another process has taken the call
     */
    boolean die(DeadLetter letter);

    /**
     * Ends the lease of a resent call that needs no further attempt, and its dead letter, as resolved or discarded.
     *
     * @throws LeaseLostException if the lease has expired and another process has taken the call
     */
    void end(StoredCall.Action action);
}
