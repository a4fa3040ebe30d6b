/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

/**
 * Keeps calls that have failed for good, until a person or a program has looked after them. Calls come here whose policy says
 * {@link OnExhaustion#DEAD_LETTER}, and those that an error ended with {@link RetryDirective#DEAD_LETTER}.
 *
 * <p>Called on the thread on which the call ends, before the recovery; for an asynchronous call that is a thread of the
 * engine's executor, so an implementation may block. Thread-safe.
 *
 * @see RetryEngineBuilder#deadLetters
 * @since 0.1.0
 */
@FunctionalInterface
public interface DeadLetterQueue {

    /**
     * Keeps a call. When this returns, the call can't be lost any more.
     *
     * @param call the call; of a call that is kept already, because it was sent again, the newest failure
     * @throws Exception if the call could not be kept: this is logged, and suppressed in the error that the caller gets
     */
    void add(FailedCall call) throws Exception;
}
