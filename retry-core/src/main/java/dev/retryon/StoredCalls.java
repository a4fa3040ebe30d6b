/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/**
 * Retries that are stored and made later, perhaps in another process. For engines that run such calls: {@link #handOver}
 * where a call is made first, {@link #resume} where it goes on. Who decides about a retry, and how, is the same as for any
 * other call.
 *
 * @since 0.1.0
 */
public final class StoredCalls {

    private StoredCalls() {}

    /**
     * Gives the retries of blocking calls away. A call whose attempt fails and is to be retried returns at once, with {@code
     * null}. So this is for calls that return nothing. The caller gets the error only if the call is not retried, or was not
     * taken over. A {@code retry-after} beyond {@code maxDelay} is kept, and a closed engine does not end the call.
     *
     * @param retry the retry
     * @param handover takes the calls
     * @return the builder
     */
    public static RetryBuilder handOver(RetryBuilder retry, CallHandover handover) {
        retry.settings().handover = Objects.requireNonNull(handover, "handover");
        return retry;
    }

    /**
     * Keeps the retries of a call here, although those of others are {@linkplain #handOver given away}. For who sends a dead
     * letter again and returns how that has ended: the call then waits in this process.
     *
     * @param retry the retry
     * @return the builder
     */
    public static RetryBuilder stay(RetryBuilder retry) {
        retry.settings().handover = null;
        return retry;
    }

    /**
     * Goes on with a stored call. The next call that is made with the result is its next attempt, with its id, its number and
     * its time. If that fails, it is decided upon like any failure: the call is taken over again where the retry {@linkplain #handOver
     * gives calls away}, else the attempts that follow are made by this call. If the call ends in failure, it is kept as a
     * dead letter whatever the policy says, because the caller gets no error any more; but not if the error
     * says {@link RetryDirective#DISCARD}. An interrupted attempt counts as failed, and the call is taken
     * over again, unless its attempts or its time are used up.
     *
     * @param retry the retry of such calls
     * @param state what happened so far
     * @param waited what was waited since the last attempt
     * @param lease says whether this process still {@linkplain RetryContext#leaseValid() holds} the call
     * @return a retry for one call
     */
    public static Retry resume(Retry retry, CallState state, Duration waited, BooleanSupplier lease) {
        CallSettings.Draft draft = retry.settings().with(retry.policy());
        draft.resumption = new CallSettings.Resumption(state, waited, Objects.requireNonNull(lease, "lease"));
        return new Retry(new CallSettings(draft));
    }

    /**
     * Ends a stored call that can't be made any more. It is kept as a dead letter with {@link StopReason#UNRESOLVABLE}, as if
     * one more attempt had failed with the error. No decider and no recovery is asked.
     *
     * @param resumed the retry that {@link #resume} has returned
     * @param subject what the call is about
     * @param error says why it can't be made; if the call could not be kept, that is suppressed in it
     * @return whether it is kept
     * @throws IllegalArgumentException if the retry does not go on with a stored call
     */
    public static boolean giveUp(Retry resumed, CallSubject subject, Throwable error) {
        RetryCall call = resumed.settings().resumed();
        if (call == null) {
            throw new IllegalArgumentException(resumed.name() + " does not go on with a stored call");
        }
        call.describedAs(subject);
        call.failed(error);
        CallEnd end = new CallEnd(call, StopReason.UNRESOLVABLE, error, null, null);
        end.keep();
        end.close();
        return end.isKept();
    }
}
