// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import org.jspecify.annotations.Nullable;

/** An error that metrics and logs show by a name other than that of its class. There must be few such names. */
public interface NamedError {

    /** The name for an attempt that returned a value to retry. */
    String RESULT = "result";

    /** The name, for example {@code http.503}. */
    String errorName();

    /**
     * Returns the name of the error of an attempt: the simple name of its class, unless it has another name.
     *
     * @param error {@code null} if the attempt returned a value to retry
     */
    static String of(@Nullable Throwable error) {
        if (error == null) {
            return RESULT;
        }
        return error instanceof NamedError named ? named.errorName() : simpleName(error.getClass());
    }

    /** The simple name; for an anonymous class that of the class it extends. */
    private static String simpleName(Class<?> type) {
        String name = type.getSimpleName();
        return name.isEmpty() ? simpleName(type.getSuperclass()) : name;
    }
}
