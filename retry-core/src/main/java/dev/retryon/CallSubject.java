/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * What a call is about: which method is meant, on which object and with which arguments. A gate, decider or backoff
 * strategy gets it from {@link RetryContext#subject()}.
 *
 * @since 0.1.0
 */
public interface CallSubject {

    /**
     * The canonical name of the method. It is the same in every process that runs the same code, so it may be stored.
     *
     * @return such as {@code com.acme.PaymentService#charge(com.acme.Order)}; for a call of a lambda the name of its retry
     */
    String key();

    /**
     * The object that the method is called on.
     *
     * @return the bean; for a call of a lambda the lambda; {@code null} for a static method
     */
    @Nullable Object target();

    /**
     * The arguments of the call.
     *
     * @return the arguments of every attempt, empty if there are none; not to be changed
     */
    @Nullable Object[] arguments();

    /**
     * Describes a call.
     *
     * @param key the canonical name of the method
     * @param target the object that the method is called on, or {@code null}
     * @param arguments the arguments
     * @return a description that holds these very objects
     */
    static CallSubject of(String key, @Nullable Object target, @Nullable Object... arguments) {
        return new DescribedSubject(key, target, arguments);
    }
}
