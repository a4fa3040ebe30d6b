/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.spring.expression.DeclaredParameters;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A key of {@code retryon.methods}: a class, one of its methods by name, or one overload.
 *
 * @param className the class, nested ones with {@code $}
 * @param methodName the method, or {@code null} for all
 * @param parameters the parameter types as written, or {@code null} for all overloads
 */
record MethodKey(
        String className,
        @Nullable String methodName,
        @Nullable String parameters) {

    static MethodKey parse(String key) {
        int hash = key.indexOf('#');
        if (hash < 0) {
            return new MethodKey(key.trim(), null, null);
        }
        String className = key.substring(0, hash).trim();
        String method = key.substring(hash + 1).trim();
        int open = method.indexOf('(');
        if (open < 0 || !method.endsWith(")")) {
            return new MethodKey(className, method, null);
        }
        return new MethodKey(
                className,
                method.substring(0, open).trim(),
                method.substring(open + 1, method.length() - 1).replace(" ", ""));
    }

    /** The narrower a key, the stronger what it says: 0 for a class, 1 for a method, 2 for an overload. */
    int narrowness() {
        return methodName == null ? 0 : parameters == null ? 1 : 2;
    }

    /** Whether the key, if it is of the right class, is about a method. */
    boolean isAbout(Method method) {
        return (methodName == null || methodName.equals(method.getName()))
                && (parameters == null
                        || parameters.equals(join(method, Class::getSimpleName))
                        || parameters.equals(join(method, Class::getTypeName)));
    }

    private static String join(Method method, Function<Class<?>, String> name) {
        return Arrays.stream(DeclaredParameters.types(method)).map(name).collect(Collectors.joining(","));
    }
}
