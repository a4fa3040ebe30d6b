// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

/**
 * Keeps calls that have failed permanently until a person or a program handles them. A call is added if its policy has
 * {@link ExhaustionAction#DEAD_LETTER}, or if its last error has {@link RetryDirective#DEAD_LETTER}.
 *
 * <p>The engine adds a call on the thread on which the call ends, before it runs the recovery. For an asynchronous
 * call, this is a thread of the engine's executor, so an implementation is allowed to block. Implementations must be
 * thread-safe.
 *
 * <p>In Spring applications, {@code retry-durable} stores the calls in a database.
 *
 * @see RetryEngineBuilder#deadLetters
 * @since 0.1.0
 */
@FunctionalInterface
public interface DeadLetterQueue {

    /**
     * Keeps a failed call. The call must be stored safely when this method returns.
     *
     * @param call the failed call. If a kept call was retried and has failed again, this is the latest failure, with
     *     the same {@linkplain dev.retryon.CallState#callId() id}
     * @throws Exception if the call cannot be kept. The engine logs the exception and suppresses it in the error that
     *     the caller receives
     */
    void add(FailedCall call) throws Exception;
}
