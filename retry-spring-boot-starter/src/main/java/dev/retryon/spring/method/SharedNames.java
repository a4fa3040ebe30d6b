/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.settings.RetryWarning;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * Warns of methods that meters, events and logs show under one name although that was not configured. Overloads and overriding methods
 * share a name on purpose, and so do methods that have it from one place: from their class, or from a composed annotation.
 */
final class SharedNames {

    private final RetryDeclarations declarations;

    private final RetryFaults faults;

    SharedNames(RetryDeclarations declarations, RetryFaults faults) {
        this.declarations = declarations;
        this.faults = faults;
    }

    /** Logs that a method has the name of another one, which was found before. */
    void warn(RetriedMethod method, RetriedMethods methods) {
        for (RetriedMethod namesake : methods.named(method.name())) {
            if (areRelated(namesake, method)) {
                continue;
            }
            if (hasDefaultName(namesake) && hasDefaultName(method)) {
                faults.warn(
                        RetryWarning.SHARED_NAME,
                        "Retried methods of " + namesake.beanClass().getName() + " and "
                                + method.beanClass().getName() + " share the name '" + method.name()
                                + "' in meters and logs: give one of them a name, @RetryOn(name = \"…\")");
                return;
            }
            if (!isMeant(namesake, method)) {
                faults.warn(
                        RetryWarning.SHARED_NAME,
                        where(namesake) + " and " + where(method) + " share the name '" + method.name()
                                + "' in meters and logs, which count them as one: give each a name of its own");
                return;
            }
        }
    }

    /** Whether two methods are overloads, or one may override the other. */
    private static boolean areRelated(RetriedMethod one, RetriedMethod other) {
        return one.method().getName().equals(other.method().getName())
                && (one.beanClass().isAssignableFrom(other.beanClass())
                        || other.beanClass().isAssignableFrom(one.beanClass()));
    }

    private boolean isMeant(RetriedMethod one, RetriedMethod other) {
        if (areOneOperation(one, other)) {
            return true;
        }
        Declaration first = naming(one);
        Declaration second = naming(other);
        return first != null
                && second != null
                && (first.element().equals(second.element()) || isForMany(first) || isForMany(second));
    }

    /** Whether two classes inherit a method from the same type and override it. */
    private boolean areOneOperation(RetriedMethod one, RetriedMethod other) {
        String name = one.method().getName();
        return other.method().getName().equals(name)
                && declarations.hierarchy(one.beanClass()).types().stream()
                        .filter(type -> type.isAssignableFrom(other.beanClass()))
                        .flatMap(type -> Arrays.stream(ReflectionUtils.getDeclaredMethods(type)))
                        .anyMatch(method -> method.getName().equals(name));
    }

    /** The annotation that gives a method its name; {@code null} if it has the default name. */
    private @Nullable Declaration naming(RetriedMethod method) {
        List<Declaration> declared = declarations.on(method.beanClass(), method.method());
        for (int i = declared.size() - 1; i >= 0; i--) {
            if (!declared.get(i).annotation().name().isEmpty()) {
                return declared.get(i);
            }
        }
        return null;
    }

    private static boolean isForMany(Declaration naming) {
        return !(naming.element() instanceof Method)
                || (naming.written() != RetryOn.class && naming.written() != RetryOn.List.class);
    }

    private static boolean hasDefaultName(RetriedMethod method) {
        return method.name().equals(RetryMethodResolver.defaultName(method.beanClass(), method.method()));
    }

    private static String where(RetriedMethod method) {
        return PolicyWarnings.where(method.beanClass(), method.method());
    }
}
