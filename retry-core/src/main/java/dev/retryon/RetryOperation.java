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
}
