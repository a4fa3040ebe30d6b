// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * The method, target and arguments of a call. Gates, deciders and backoff strategies get it from {@link
 * RetryContext#subject()}.
 *
 * @since 0.1.0
 */
public interface CallSubject {

    /**
     * {@return the canonical name of the method, such as {@code com.acme.PaymentService#charge(com.acme.Order)}; for a
     * lambda, the name of its retry}
     *
     * <p>It is the same in every process that runs the same code, so it can be stored.
     */
    String key();

    /** {@return the object on which the method is called: the bean, or the lambda; {@code null} for a static method} */
    @Nullable Object target();

    /** {@return the arguments of every attempt; empty if there are none} Do not modify the array. */
    @Nullable Object[] arguments();

    /**
     * Creates a description of a call.
     *
     * @param key the canonical name of the method
     * @param target the object on which the method is called, or {@code null}
     * @param arguments the arguments
     * @return a description that references the given objects
     */
    static CallSubject of(String key, @Nullable Object target, @Nullable Object... arguments) {
        return new DescribedSubject(key, target, arguments);
    }
}
