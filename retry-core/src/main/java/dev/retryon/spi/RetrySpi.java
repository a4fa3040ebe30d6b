// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spi;

import dev.retryon.CallState;
import dev.retryon.CallSubject;
import dev.retryon.Retry;
import dev.retryon.RetryContext;
import dev.retryon.RetryDirective;
import dev.retryon.RetryOperation;
import dev.retryon.RetryResult;
import dev.retryon.StopReason;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ways to run a call that are for modules, not for applications. Get it from {@link Retry#spi()}.
 *
 * @see RetryBuilderSpi
 * @since 0.1.0
 */
public interface RetrySpi {

    /**
     * Returns a retry that continues a stored call. The next call with that retry is the next attempt of the stored one: it
     * has its id, its attempt number and its start time.
     *
     * <p>If the attempt fails, the usual rules decide whether it is retried. If it is, the call is handed over again,
     * provided that this retry {@linkplain RetryBuilderSpi#handOver hands over}; otherwise the returned retry runs the later
     * attempts itself. An interrupted attempt counts as failed.
     *
     * <p>If the call fails for good, it is kept as a dead letter whatever the policy says, because no caller receives the
     * error. The only exception is an error that says {@link RetryDirective#DISCARD}.
     *
     * @param state the stored state
     * @param waited the time waited since the last attempt
     * @param lease whether this process still {@linkplain RetryContext#leaseValid() has the lease} of the call
     * @return a retry for this one call
     */
    Retry resume(CallState state, Duration waited, BooleanSupplier lease);

    /**
     * Ends a stored call that can no longer be run. The call is kept as a dead letter with {@link
     * StopReason#UNRESOLVABLE}, as if one more attempt had failed with the given error. No decider and no recovery runs.
     *
     * @param subject the method and arguments of the call, as far as they are known
     * @param error the reason why the call can't be run. If the call could not be kept, that failure is suppressed in it
     * @return whether the call was kept
     * @throws IllegalArgumentException if this retry was not returned by {@link #resume}
     */
    boolean giveUp(CallSubject subject, Throwable error);

    /**
     * Returns a copy of this retry that reports the outcome of each asynchronous call.
     *
     * @param watcher receives the outcome on the thread that ends the call, before the call's future completes. It must not
     *     throw. It receives nothing if the caller cancelled the call
     * @return the copy
     */
    Retry watched(Consumer<RetryResult<?>> watcher);

    /**
     * Runs a blocking call and returns its outcome. Unlike {@link Retry#execute(Object, RetryOperation)}, this method also
     * returns the outcome of a call that ended with an {@link Error}.
     *
     * @param <S> the type of the subject
     * @param <T> the type of the returned value
     * @param subject the subject of the call
     * @param operation runs one attempt
     * @return the value or the error, and the attempts
     */
    <S, T extends @Nullable Object> RetryResult<T> outcome(S subject, RetryOperation<S, T> operation);
}
