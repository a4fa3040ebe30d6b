// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

/**
 * Whether calls of a method survive a restart of the process. Only methods that return no value can be durable, because a
 * call that continues later, or in another process, cannot return a result to its caller. They return {@code void}, {@code
 * CompletableFuture<Void>}, {@code CompletionStage<Void>} or {@code Mono<Void>}, or are Kotlin's suspend functions without a
 * result. Needs {@code retry-durable}.
 *
 * @since 0.1.0
 */
public enum Durable {

    /** Not set: the value of a weaker layer applies, or {@link #OFF}. */
    INHERIT,

    /** The caller's thread runs all attempts and waits between them. */
    OFF,

    /**
     * The first attempt runs on the caller's thread. If it fails with a retryable exception, the call is stored and the
     * method returns. A worker of this or another process runs the other attempts later. Exceptions that are not retryable
     * are thrown to the caller. If all retries fail, the call is kept as a dead letter. A future or a {@code Mono} completes
     * without an error when the call is stored.
     */
    ON_FAILURE,

    /**
     * The call is stored before it runs, in the caller's transaction if there is one. The method returns at once. A worker
     * runs all attempts, the first one right after the commit. If the transaction rolls back, the call is discarded. A call
     * of a method that returns a {@code Mono} is stored when the {@code Mono} is subscribed to.
     */
    OUTBOX
}
