// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import org.jspecify.annotations.Nullable;

/**
 * An error that metrics and logs show under a special name instead of its class name. The number of such names
 * must be small.
 */
public interface NamedError {

    /** The error name of an attempt that returned a value to retry. */
    String RESULT = "result";

    /** Returns the name, for example {@code http.503}. */
    String errorName();

    /**
     * Returns the error name of an attempt: the simple class name of the error, unless the error is a
     * {@link NamedError}.
     *
     * @param error the error; {@code null} if the attempt returned a value to retry
     */
    static String of(@Nullable Throwable error) {
        if (error == null) {
            return RESULT;
        }
        return error instanceof NamedError named ? named.errorName() : simpleName(error.getClass());
    }

    /** Returns the simple name of a class; for an anonymous class, the simple name of its superclass. */
    private static String simpleName(Class<?> type) {
        String name = type.getSimpleName();
        return name.isEmpty() ? simpleName(type.getSuperclass()) : name;
    }
}
