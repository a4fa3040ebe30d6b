/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * What the return types of methods rule out.
 *
 * @since 0.1.0
 */
public interface ReturnTypes {

    /**
     * Checks whether calls of a method can be retried.
     *
     * @param method the method
     * @return a sentence that says what is wrong with its return type; {@code null} if nothing is
     */
    @Nullable String fault(Method method);

    /**
     * Whether the values of a method come inside of what it returns, so that they may be of another type.
     *
     * @param method the method
     * @return {@code true} for a future and its like
     */
    boolean isHolder(Method method);

    /**
     * Whether the result of a method can be many values, so that no single one can be judged.
     *
     * @param method the method
     * @return {@code true} for a {@code Flux} and its like
     */
    boolean hasManyValues(Method method);
}
