// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Takes over the retries of a call, to run them later and perhaps in another process. The caller's thread does not wait
 * for these retries. The next attempt runs with {@link Retry#resume}. Implementations must be thread-safe.
 *
 * <p>After an attempt of a stored call, the engine calls {@link #take} if the call must be retried. It calls
 * {@link #ended} if the call has succeeded or was discarded, and {@link #died} if it has failed permanently.
 *
 * @see RetryBuilder#handOver
 * @since 0.1.0
 */
@FunctionalInterface
public interface CallHandover {

    /**
     * Takes over a call after a failed attempt. When this method returns, the call must be stored safely, because its
     * caller receives no error. The engine runs this method on the caller's thread. If the call is asynchronous, the
     * engine uses a thread of its executor. An implementation is allowed to block.
     *
     * @param subject the method, target and arguments of the call
     * @param state the attempts so far
     * @param delay the delay before the next attempt, zero or more
     * @throws Exception if the call cannot be stored. The call then ends with {@link StopReason#REJECTED}, and this
     *     exception is suppressed in the error that the caller receives
     */
    void take(CallSubject subject, CallState state, Duration delay) throws Exception;

    /**
     * Removes a stored call that has succeeded or was discarded. The engine calls this method before it publishes the
     * event. By default, this method does nothing.
     *
     * @param callId the id of the call
     * @param discarded why the call has ended without success and without a dead letter; {@code null} if it has succeeded
     * @throws Exception if the end of the call cannot be stored; the engine logs this exception
     */
    default void ended(String callId, @Nullable StopReason discarded) throws Exception {}

    /**
     * Keeps a stored call that has failed permanently. The engine calls this method before it publishes the event. By
     * default, this method adds the call to the queue.
     *
     * @param call the failed call
     * @param queue the engine's queue
     * @throws Exception if the call cannot be kept; see {@link DeadLetterQueue#add}
     */
    default void died(FailedCall call, DeadLetterQueue queue) throws Exception {
        queue.add(call);
    }
}
