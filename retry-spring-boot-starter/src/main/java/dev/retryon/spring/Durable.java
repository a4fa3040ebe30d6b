/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

/**
 * Whether calls of a method survive the process. Only for methods that return nothing: the caller of a call that goes on
 * later, and perhaps elsewhere, gets no result of it.
 *
 * @since 0.1.0
 */
public enum Durable {

    /** Unset: a weaker layer, in the end {@link #OFF}, decides. */
    INHERIT,

    /** The caller's thread makes all attempts and waits between them. */
    OFF,

    /**
     * The first attempt is made on the caller's thread. If it fails and is to be retried, the call is stored, the method
     * returns, and the other attempts are made later by a worker of this or of another process. An error that is not retried is
     * thrown as without it. What fails for good later is kept as a dead letter.
     */
    ON_FAILURE,

    /**
     * The call is stored before it is made: in the caller's transaction if there is one. The method returns at once, and a
     * worker makes all attempts, the first right after the commit. If the transaction is rolled back, the call was never asked
     * for.
     */
    OUTBOX
}
