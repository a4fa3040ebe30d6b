// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * A call that returns a value and can throw an exception. Because the type of its checked exception is a parameter, a
 * lambda that throws only unchecked exceptions does not require {@code try}.
 *
 * @param <T> the type of the value
 * @param <E> the checked exception; {@code RuntimeException} if the call throws none
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryCallable<T extends @Nullable Object, E extends Exception> {

    /**
     * Runs one attempt.
     *
     * @return the value
     * @throws E if the attempt failed
     */
    T call() throws E;
}
