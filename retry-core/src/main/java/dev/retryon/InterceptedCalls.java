/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Internal: what frameworks that intercept calls need beyond the API, so that a call that succeeds at once costs them
 * nothing. Not for applications; may change with any release.
 *
 * @since 0.1.0
 */
public final class InterceptedCalls {

    private InterceptedCalls() {}

    /**
     * Counts the calls of a retry that succeed at once, for which there is no event.
     *
     * @param retry the retry
     * @param counter incremented by each such call; may be shared
     * @return the builder
     */
    public static RetryBuilder countSuccesses(RetryBuilder retry, LongAdder counter) {
        retry.settings().successes = Objects.requireNonNull(counter, "counter");
        return retry;
    }

    /**
     * Counts the calls of a retry that wait for their next attempt. Without this, a retry has a counter of its own, which it
     * shares with those made {@linkplain Retry#toBuilder from it}.
     *
     * @param retry the retry
     * @param counter incremented when a wait begins, decremented when it ends; may be shared
     * @return the builder
     */
    public static RetryBuilder countWaiting(RetryBuilder retry, LongAdder counter) {
        retry.settings().waiting = Objects.requireNonNull(counter, "counter");
        return retry;
    }

    /**
     * Reads the clock before the first attempt, so that {@link RetryContext#elapsed()} counts from there although the policy
     * has no {@code timeout}. Without this, a call that succeeds at once reads no clock.
     *
     * @param retry the retry
     * @param timed whether to read it
     * @return the builder
     */
    public static RetryBuilder timed(RetryBuilder retry, boolean timed) {
        retry.settings().timed = timed;
        return retry;
    }

    /**
     * Watches the asynchronous calls of a retry.
     *
     * @param retry the retry
     * @param watcher receives how a call went, on the thread that ends it and before its future completes; it does not
     *     throw. It receives nothing of a call that was given up
     * @return a retry like it
     */
    public static Retry watched(Retry retry, Consumer<RetryResult<?>> watcher) {
        CallSettings.Draft draft = retry.settings().with(retry.policy());
        draft.watcher = Objects.requireNonNull(watcher, "watcher");
        return new Retry(new CallSettings(draft));
    }

    /**
     * Calls, retries what fails, and returns the outcome. Unlike {@link Retry#execute(Object, RetryOperation)} it also
     * returns the outcome of a call that ended with an {@link Error}.
     *
     * @param <S> what the call is about
     * @param <T> the value's type
     * @param retry runs the call
     * @param subject what the call is about
     * @param operation the call
     * @return the value or the error, and the attempts
     */
    public static <S, T extends @Nullable Object> RetryResult<T> outcome(
            Retry retry, S subject, RetryOperation<S, T> operation) {
        return retry.outcome(subject, operation);
    }

    /**
     * An operation that prepares, once, what the attempts after the first need.
     *
     * @param <S> what the call is about
     * @param <T> the value's type
     * @since 0.1.0
     */
    public interface Operation<S, T extends @Nullable Object> extends RetryOperation<S, T> {

        /**
         * The operation that makes the other attempts of a blocking call whose first one has failed. Called on the caller's
         * thread. Never called by {@link Retry#callAsync}, whose attempts may be made on any thread.
         *
         * @param subject what the call is about
         * @param maxAttempts how many attempts the call has at most
         * @return this (the default), or an operation for this one call
         */
        default Operation<S, T> retries(S subject, int maxAttempts) {
            return this;
        }

        /** Called on what {@link #retries} has returned when the call has ended, on the thread that made its attempts. */
        default void end() {}
    }
}
