// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

/**
 * Defines when a call is stored. This is the type of {@link Durable#value()}.
 *
 * @since 0.1.0
 */
public enum DurableMode {

    /** The mode is not set. The value of a weaker layer applies, or else {@link #OFF}. */
    INHERIT,

    /** Calls are not stored. The caller's thread runs all attempts and waits between them. */
    OFF,

    /**
     * A call that has failed permanently is stored as a dead letter, which can be resent later. In any case, the caller
     * receives the error. The method can return a value.
     */
    ON_EXHAUSTION,

    /**
     * The first attempt runs on the caller's thread. If this attempt fails with a retryable exception, the call is
     * stored and the method returns. A returned future or {@code Mono} completes without an error when the call is
     * stored. A worker in this or another process runs the remaining attempts later. If all retries fail, the call is
     * kept as a dead letter. Exceptions that are not retryable are thrown to the caller.
     */
    ON_FAILURE,

    /**
     * The call is stored before it runs, and the method returns immediately. If the caller has a transaction, the call
     * is stored in it, and is discarded if the transaction rolls back. A worker runs all attempts, the first one right
     * after the commit. If the method returns a {@code Mono}, the call is stored when the {@code Mono} is subscribed
     * to.
     */
    OUTBOX
}
