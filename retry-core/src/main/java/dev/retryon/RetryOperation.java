/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * A call with its subject handed in, so that one instance serves all calls and nothing is captured: what frameworks that
 * intercept calls use instead of a lambda.
 *
 * @param <S> what the call is about, such as a method invocation; see {@link RetryContext#subject()}
 * @param <T> the value's type
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryOperation<S, T extends @Nullable Object> {

    /**
     * Makes one attempt.
     *
     * @param subject what the call is about, the same for every attempt
     * @param attempt the attempt's number, from 1
     * @return the value
     * @throws Throwable if the attempt failed
     */
    T run(S subject, int attempt) throws Throwable;

    /**
     * What makes the other attempts of a blocking call whose first one has failed: a framework may prepare here what they
     * need, once instead of for each of them. Asked on the caller's thread, and never by {@link Retry#callAsync}, whose
     * attempts may be made on any thread.
     *
     * @param subject what the call is about
     * @return this (the default), or an operation for this one call, whose {@link #end} is called when the call has ended
     */
    default RetryOperation<S, T> retries(S subject) {
        return this;
    }

    /** Called on what {@link #retries} has returned when the call has ended, on the thread that made its attempts. */
    default void end() {}
}
