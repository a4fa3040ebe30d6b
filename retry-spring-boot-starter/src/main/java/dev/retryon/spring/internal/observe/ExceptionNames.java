// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.spring.internal.report.TagValues;
import org.jspecify.annotations.Nullable;

/** Exceptions as values of a tag: simple names. Thread-safe. */
final class ExceptionNames {

    /** The name for an attempt that returned a value to retry. */
    static final String RESULT = "result";

    private final TagValues values;

    ExceptionNames(TagValues values) {
        this.values = values;
    }

    /**
     * The value of the tag for the error of an attempt.
     *
     * @param error {@code null} if the attempt returned a value to retry
     */
    String tag(@Nullable Throwable error) {
        return error == null ? RESULT : values.of(name(error));
    }

    /** The simple name of an error's class, unless it has another name. */
    static String name(Throwable error) {
        return error instanceof NamedError named ? named.errorName() : simpleName(error.getClass());
    }

    /** The simple name; for an anonymous class that of the class it extends. */
    private static String simpleName(Class<?> type) {
        String name = type.getSimpleName();
        return name.isEmpty() ? simpleName(type.getSuperclass()) : name;
    }
}
