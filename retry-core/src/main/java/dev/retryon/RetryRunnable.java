/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

/**
 * A call that returns nothing and may throw.
 *
 * @param <E> the checked exception it throws; {@code RuntimeException} if it throws none
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryRunnable<E extends Exception> {

    /**
     * Makes one attempt.
     *
     * @throws E if the attempt failed
     */
    void run() throws E;
}
