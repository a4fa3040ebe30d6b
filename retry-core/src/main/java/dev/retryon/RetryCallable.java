/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * A call that returns a value and may throw. Its exception type is carried through, so that a lambda that throws only
 * unchecked exceptions needs no {@code try}.
 *
 * @param <T> the value's type
 * @param <E> the checked exception it throws; {@code RuntimeException} if it throws none
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryCallable<T extends @Nullable Object, E extends Exception> {

    /**
     * Makes one attempt.
     *
     * @return the value
     * @throws E if the attempt failed
     */
    T call() throws E;
}
