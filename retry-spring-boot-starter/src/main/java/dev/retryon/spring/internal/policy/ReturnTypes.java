/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.policy;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** The settings that the return types of methods rule out. */
public interface ReturnTypes {

    /**
     * Checks whether calls of a method can be retried.
     *
     * @param method the method
     * @return a sentence about the fault of its return type; {@code null} if there is none
     */
    @Nullable String fault(Method method);

    /**
     * Whether the result of a method can be many values, so that no single one can be judged.
     *
     * @param method the method
     * @return {@code true} for a {@code Flux} and its like
     */
    boolean hasManyValues(Method method);
}
