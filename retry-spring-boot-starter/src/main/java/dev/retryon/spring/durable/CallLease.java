/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import java.time.Instant;

/**
 * A call that this process holds until it is released or removed. The hold lapses if the process dies or stands still; another
 * process takes the call then. Writes are part of the transaction of the thread.
 *
 * @since 0.1.0
 */
public interface CallLease {

    /**
     * The id of the call.
     *
     * @return as it was given to {@link CallEngine#add}
     */
    String id();

    /**
     * The call.
     *
     * @return as it was stored last; perhaps nothing that a worker has ever stored
     */
    byte[] call();

    /**
     * Whether a worker held the call since it was stored last, and lost it: its attempt may have been made or not.
     *
     * @return {@code false} if this is the first hold
     */
    boolean isRevived();

    /**
     * Whether the hold still stands, as far as this process can know without asking.
     *
     * @return {@code false} if it has lapsed, or can no longer be confirmed
     */
    boolean isValid();

    /**
     * Ends the hold after an attempt, by one statement: the call is due again.
     *
     * @param call the call
     * @param label what lists show of the call
     * @param due when
     * @throws LeaseLostException if the hold has lapsed and another process has taken the call
     */
    void release(byte[] call, CallEngine.Label label, Instant due);

    /**
     * Ends the hold without an attempt, by one statement: the call is due again. One that {@linkplain #isRevived was revived} stays so, because the
     * lost attempt is not counted yet.
     *
     * @param call the call
     * @param due when
     * @throws LeaseLostException if the hold has lapsed and another process has taken the call
     */
    void postpone(byte[] call, Instant due);

    /**
     * Ends the hold, by one statement: the call is not kept any more.
     *
     * @throws LeaseLostException if the hold has lapsed and another process has taken the call
     */
    void remove();
}
