// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Takes over the retries of a call, to run them later and perhaps in another process. The caller's thread does not wait for
 * them. The next attempt is run with {@link Retry#resume}. Implementations must be thread-safe.
 *
 * <p>After an attempt of a stored call, the engine calls {@link #take} if the call is to be retried, {@link #ended} if it
 * has succeeded or was discarded, and {@link #died} if it has failed permanently.
 *
 * @see RetryBuilder#handOver
 * @since 0.1.0
 */
@FunctionalInterface
public interface CallHandover {

    /**
     * Takes over a call after a failed attempt. The caller receives no error once this method has returned, so the call
     * must be stored safely by then. The engine calls this method on the caller's thread; for an asynchronous call, on a
     * thread of its executor. An implementation is allowed to block.
     *
     * @param subject the method, target and arguments of the call
     * @param state the attempts so far
     * @param delay the delay before the next attempt, zero or more
     * @throws Exception if the call could not be stored. The call then ends with {@link StopReason#REJECTED}, and the
     *     exception is suppressed in the error that the caller receives
     */
    void take(CallSubject subject, CallState state, Duration delay) throws Exception;

    /**
     * Removes a stored call that has succeeded or was discarded. The engine calls this method before it publishes the
     * event. The default does nothing.
     *
     * @param callId the id of the call
     * @param discarded why the call has ended without success and is not kept; {@code null} if it has succeeded
     * @throws Exception if the end could not be stored; the engine logs it
     */
    default void ended(String callId, @Nullable StopReason discarded) throws Exception {}

    /**
     * Keeps a stored call that has failed permanently. The engine calls this method before it publishes the event. The
     * default adds the call to the queue.
     *
     * @param call the failed call
     * @param queue the engine's queue
     * @throws Exception if the call could not be kept, see {@link DeadLetterQueue#add}
     */
    default void died(FailedCall call, DeadLetterQueue queue) throws Exception {
        queue.add(call);
    }
}
