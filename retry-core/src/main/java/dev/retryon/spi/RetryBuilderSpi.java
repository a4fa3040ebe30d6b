// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spi;

import dev.retryon.RetryBuilder;
import dev.retryon.RetryContext;
import dev.retryon.RetryRecovery;
import java.util.concurrent.atomic.LongAdder;

/**
 * Settings of a retry that are for modules, not for applications. Get it from {@link RetryBuilder#spi()}.
 *
 * @see RetrySpi
 * @since 0.1.0
 */
public interface RetryBuilderSpi {

    /**
     * Hands the retries of calls over to a module. If an attempt fails and is to be retried, a blocking call returns
     * {@code null} at once, and the future of an asynchronous call completes with {@code null}. So this is for calls without
     * a result. The caller receives the error only if the call is not retried or could not be handed over.
     *
     * <p>An asynchronous call is handed over on a thread of the engine's executor. It is not handed over again if it was
     * {@linkplain RetrySpi#resume resumed}: run the attempts of stored calls as blocking calls.
     *
     * <p>Two rules change for such calls. A delay that a server requests is kept even if it is longer than {@code maxDelay},
     * and a closed engine does not end the call.
     *
     * @param handover takes the calls over
     * @return the builder
     */
    RetryBuilder handOver(CallHandover handover);

    /**
     * Runs the retries in this process again, which reverts {@link #handOver}. This is for a caller who resends a dead letter
     * and waits for the result.
     *
     * @return the builder
     */
    RetryBuilder keepLocal();

    /**
     * Sets the recovery, which returns a value to the caller after all attempts have failed. By default there is none. A
     * recovery that is {@linkplain dev.retryon.Retry#callOrRecover given with a call} takes precedence. For asynchronous
     * calls it returns the value or a {@link java.util.concurrent.CompletionStage} of it. If the recovery fails, the caller
     * receives its exception.
     *
     * <p>The compiler can't check that the value has the type of the calls. The module must.
     *
     * @param recovery the recovery
     * @return the builder
     */
    RetryBuilder recovery(RetryRecovery<Object, ?> recovery);

    /**
     * Counts the calls that succeed with their first attempt. There is no event for them. By default they are not counted.
     *
     * @param counter incremented by each such call; several retries may share it
     * @return the builder
     */
    RetryBuilder countSuccesses(LongAdder counter);

    /**
     * Counts the calls that are waiting for their next attempt. By default a retry has its own counter, which it shares with
     * the retries {@linkplain dev.retryon.Retry#toBuilder built from it}.
     *
     * @param counter incremented when a wait begins and decremented when it ends; several retries may share it
     * @return the builder
     */
    RetryBuilder countWaiting(LongAdder counter);

    /**
     * Sets whether {@link RetryContext#elapsed()} counts from the start of the call. The default is {@code false}, because
     * reading the clock slows down calls that succeed at once. With a {@code timeout}, it always counts from the start.
     *
     * @param timed whether to read the clock
     * @return the builder
     */
    RetryBuilder timed(boolean timed);
}
