// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

/**
 * When a call is stored; the values of {@link Durable#value()}.
 *
 * @since 0.1.0
 */
public enum DurableMode {

    /** Not set: the value of a weaker layer applies, or {@link #OFF}. */
    INHERIT,

    /** Calls are not stored. The caller's thread runs all attempts and waits between them. */
    OFF,

    /**
     * A call that has failed permanently is stored as a dead letter, which can be resent later. The caller receives the error in
     * any case. The method can return a value.
     */
    ON_EXHAUSTION,

    /**
     * The first attempt runs on the caller's thread. If it fails with a retryable exception, the call is stored and the
     * method returns. A worker of this or another process runs the remaining attempts later. Exceptions that are not retryable
     * are thrown to the caller. If all retries fail, the call is kept as a dead letter. A future or a {@code Mono} completes
     * without an error when the call is stored.
     */
    ON_FAILURE,

    /**
     * The call is stored before it runs, in the caller's transaction if there is one. The method returns immediately. A worker
     * runs all attempts, the first one right after the commit. If the transaction rolls back, the call is discarded. A call
     * of a method that returns a {@code Mono} is stored when the {@code Mono} is subscribed to.
     */
    OUTBOX
}
