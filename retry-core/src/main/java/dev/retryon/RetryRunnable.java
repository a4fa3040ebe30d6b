// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

/**
 * A call without a result that can throw an exception.
 *
 * @param <E> the checked exception; {@code RuntimeException} if the call throws none
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryRunnable<E extends Exception> {

    /**
     * Runs one attempt.
     *
     * @throws E if the attempt failed
     */
    void run() throws E;
}
