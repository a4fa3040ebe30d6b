/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;

/**
 * Takes over the retries of calls, to make them later and perhaps in another process: in place of the caller's thread, which
 * does not wait. Whoever makes the next attempt goes on with {@link StoredCalls#resume}. Thread-safe.
 *
 * @see StoredCalls#handOver
 * @since 0.1.0
 */
@FunctionalInterface
public interface CallHandover {

    /**
     * Takes over a call of which an attempt has failed and is to be retried. When this returns, the caller gets no error of
     * the failure, so the call must not be lost any more.
     *
     * @param subject what the call is about
     * @param state what has happened so far
     * @param delay how long to wait before the next attempt; zero or more
     * @throws Exception if the call could not be taken over: the call then ends with {@link StopReason#REJECTED}, and this
     *     is suppressed in the error that the caller gets
     */
    void take(CallSubject subject, CallState state, Duration delay) throws Exception;

    /**
     * Ends a call that {@link StoredCalls#resume} went on with: it has succeeded, or an error has declared that it is not needed any
     * more. Called before the events of the end. The default does nothing.
     *
     * @param callId the id of the call
     * @param isDiscarded {@code false} if the call has succeeded
     * @throws Exception if it could not be written: this is logged
     */
    default void ended(String callId, boolean isDiscarded) throws Exception {}

    /**
     * Ends a call that {@link StoredCalls#resume} went on with: it has failed for good and is to be kept. Called before the events
     * of the end. The default adds it to the queue.
     *
     * @param call the call
     * @param queue the engine's queue
     * @throws Exception if the call could not be kept, as {@link DeadLetterQueue#add} says
     */
    default void died(FailedCall call, DeadLetterQueue queue) throws Exception {
        queue.add(call);
    }
}
