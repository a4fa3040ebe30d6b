// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * An operation that receives its subject as a parameter, which allows one instance to serve all calls. Frameworks that
 * intercept calls use it instead of a lambda.
 *
 * @param <S> the type of the subject, such as a method invocation; see {@link RetryContext#subject()}
 * @param <T> the type of the value
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryOperation<S, T extends @Nullable Object> {

    /**
     * Runs one attempt.
     *
     * @param subject the subject of the call, the same for every attempt
     * @param attempt the number of the attempt, from 1
     * @return the value
     * @throws Throwable if the attempt failed
     */
    T run(S subject, int attempt) throws Throwable;
}
