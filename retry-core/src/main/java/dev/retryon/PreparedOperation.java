// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * An operation that prepares its retries once, after the first attempt of a call has failed.
 *
 * @param <S> the type of the subject
 * @param <T> the type of the returned value
 * @since 0.1.0
 */
public interface PreparedOperation<S, T extends @Nullable Object> extends RetryOperation<S, T> {

    /**
     * Returns the operation that runs the later attempts of a blocking call. The engine calls this method on the caller's
     * thread, after the first attempt has failed. {@link Retry#callAsync} never calls it, because its attempts may run on
     * any thread.
     *
     * @param subject the subject of the call
     * @param maxAttempts the number of attempts that the call has at most
     * @return this operation (the default), or an operation for this one call
     */
    default PreparedOperation<S, T> retries(S subject, int maxAttempts) {
        return this;
    }

    /**
     * Releases what {@link #retries} has prepared. The engine calls this method on the operation that {@code retries}
     * returned, on the thread of the attempts, when the call has ended. The default does nothing.
     */
    default void end() {}
}
