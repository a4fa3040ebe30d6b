/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.spring.settings.Suggestion;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** A key of {@code retryon.methods} that fits no retried method. */
record UnusedKey(
        MethodKey key, RetriedMethods methods, @Nullable ClassLoader classLoader) {

    /** Explains why the key fits no retried method, and which keys would. */
    String explain(Set<Class<?>> beanClasses) {
        Class<?> type = load();
        if (type == null) {
            Set<String> known = names(methods.all());
            for (String name : known) {
                if (name.replace('$', '.').equals(key.className().replace('$', '.'))) {
                    return nested(name);
                }
            }
            int dot = key.className().lastIndexOf('.');
            String owner = key.className().substring(0, Math.max(0, dot));
            if (key.methodName() == null && known.contains(owner)) {
                return "a method is written with '#': '" + owner + "#"
                        + key.className().substring(dot + 1) + "'";
            }
            // Without brackets, the name is read without its signs.
            boolean mayBeMethod = key.className().indexOf('.') < 0 && key.methodName() == null;
            return "there is no class '" + key.className() + "'; classes with retried methods are " + known
                    + Suggestion.of(key.className(), known)
                    + (mayBeMethod
                            ? "; a class or method is written with its full name, in brackets and quotes:"
                                    + " \"[com.acme.Payments#charge]\""
                            : "");
        }
        if (!type.getName().equals(key.className())) {
            return nested(type.getName());
        }
        List<RetriedMethod> retried = methods.all().stream()
                .filter(method -> type.isAssignableFrom(method.beanClass()))
                .toList();
        if (retried.isEmpty()) {
            return beanClasses.stream().anyMatch(type::isAssignableFrom)
                    ? type.getName() + " has no retried method"
                    : "no bean of " + type.getName() + " has a retried method; classes that have are "
                            + names(methods.all());
        }
        Set<String> known = retried.stream()
                .map(method -> method.signature().substring(method.signature().indexOf('#') + 1))
                .collect(Collectors.toCollection(TreeSet::new));
        List<Method> called = new ArrayList<>();
        retried.stream()
                .map(RetriedMethod::beanClass)
                .distinct()
                .forEach(beanClass -> RetryDeclarations.methodsOf(beanClass).stream()
                        .filter(method -> method.getName().equals(key.methodName()))
                        .forEach(called::add));
        if (called.isEmpty()) {
            return type.getName() + " has no method '" + key.methodName() + "'; its retried methods are " + known
                    + Suggestion.of(
                            String.valueOf(key.methodName()),
                            retried.stream()
                                    .map(method -> method.method().getName())
                                    .collect(Collectors.toSet()));
        }
        if (called.stream().noneMatch(key::fits)) {
            return "no overload of '" + key.methodName() + "' takes ("
                    + String.join(",", Objects.requireNonNullElse(key.parameters(), List.of()))
                    + "); the retried methods of " + type.getName() + " are " + known;
        }
        return "the method is not retried, because no @RetryOn or pointcut covers it, and settings alone make no method"
                + " retried; the retried methods of " + type.getName() + " are " + known;
    }

    private String nested(String className) {
        return "a nested class is written with '$': '" + new MethodKey(className, key.methodName(), key.parameters())
                + "'";
    }

    private @Nullable Class<?> load() {
        try {
            return ClassUtils.forName(key.className(), classLoader);
        } catch (ClassNotFoundException | LinkageError ex) {
            return null;
        }
    }

    private static Set<String> names(List<RetriedMethod> retried) {
        return retried.stream()
                .map(method -> method.beanClass().getName())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
