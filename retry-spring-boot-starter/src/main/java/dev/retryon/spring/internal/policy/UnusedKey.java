// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.spring.internal.declaration.MethodKey;
import dev.retryon.spring.internal.declaration.RetryDeclarations;
import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.report.RetryWarning;
import dev.retryon.spring.internal.report.Suggestion;
import java.lang.reflect.Method;
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

    /**
     * Reports a fault or a warning for the key. It is a fault if it is written in a form that fits nothing, or if a
     * method of a bean is mistyped, and a warning if a bean of its class is here. If neither is, it may be for
     * another application, for a bean that is not always here, or for a bean of another context.
     *
     * @return {@code false} if there is nothing to report
     */
    boolean report(String property, Set<Class<?>> beans, RetryFaults faults) {
        Class<?> type = load();
        String fault = type == null ? unreadable() : misread(type);
        if (fault != null) {
            faults.add(property, fault);
            return true;
        }
        String warning = type == null ? slip() : withoutEffect(type, beans);
        if (warning != null) {
            faults.warn(RetryWarning.METHOD_KEY, property + " has no effect: " + warning);
        }
        return warning != null;
    }

    /** Why the key names no class; {@code null} if another application may have the class. */
    private @Nullable String unreadable() {
        Set<String> known = classNames();
        for (String name : known) {
            if (name.replace('$', '.').equals(key.className().replace('$', '.'))) {
                return nested(name);
            }
        }
        int dot = key.className().lastIndexOf('.');
        if (key.methodName() == null && known.contains(key.className().substring(0, Math.max(0, dot)))) {
            return "a method is written with '#': '" + key.className().substring(0, dot) + "#"
                    + key.className().substring(dot + 1) + "'";
        }
        // Without brackets, the name is read without its signs.
        return dot < 0
                ? "there is no class '" + key.className() + "'; classes with retried methods are " + known
                        + Suggestion.of(key.className(), known)
                        + (key.methodName() == null
                                ? "; a class or method is written with its full name, in brackets and quotes:"
                                        + " \"[com.acme.Payments#charge]\""
                                : "")
                : null;
    }

    private @Nullable String misread(Class<?> type) {
        if (!type.getName().equals(key.className())) {
            return nested(type.getName());
        }
        Set<String> retried =
                retried(type).stream().map(method -> method.method().getName()).collect(Collectors.toSet());
        String meant =
                key.methodName() == null || !called(type).isEmpty() ? null : Suggestion.slip(key.methodName(), retried);
        return meant == null
                ? null
                : type.getName() + " has no method '" + key.methodName() + "'; its retried methods are "
                        + signatures(type) + "; did you mean '" + meant + "'?";
    }

    private @Nullable String slip() {
        String meant = Suggestion.slip(key.className(), classNames());
        return meant == null ? null : "there is no class '" + key.className() + "'; did you mean '" + meant + "'?";
    }

    private @Nullable String withoutEffect(Class<?> type, Set<Class<?>> beans) {
        if (retried(type).isEmpty()) {
            return beans.stream().noneMatch(type::isAssignableFrom)
                    ? null
                    : type.getName()
                            + " has no retried method, because no @RetryOn or pointcut covers one, and settings alone"
                            + " do not enable retries; add @RetryOn or a pointcut";
        }
        List<Method> called = called(type);
        if (called.isEmpty()) {
            return type.getName() + " has no method '" + key.methodName() + "'; its retried methods are "
                    + signatures(type);
        }
        if (called.stream().noneMatch(key::fits)) {
            return "no overload of '" + key.methodName() + "' takes ("
                    + String.join(",", Objects.requireNonNullElse(key.parameters(), List.of()))
                    + "); the retried methods of " + type.getName() + " are " + signatures(type);
        }
        return "the method is not retried, because no @RetryOn or pointcut covers it, and settings alone do not enable"
                + " retries; add @RetryOn or a pointcut; the retried methods of " + type.getName() + " are "
                + signatures(type);
    }

    private List<RetriedMethod> retried(Class<?> type) {
        return methods.all().stream()
                .filter(method -> type.isAssignableFrom(method.beanClass()))
                .toList();
    }

    private Set<String> signatures(Class<?> type) {
        return retried(type).stream()
                .map(method -> method.signature().substring(method.signature().indexOf('#') + 1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The methods of the key's name, retried or not. */
    private List<Method> called(Class<?> type) {
        return retried(type).stream()
                .map(RetriedMethod::beanClass)
                .distinct()
                .flatMap(beanClass -> RetryDeclarations.methodsOf(beanClass, this::isNamesake).stream())
                .toList();
    }

    private boolean isNamesake(Method method) {
        return method.getName().equals(key.methodName());
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

    private Set<String> classNames() {
        return methods.all().stream()
                .map(method -> method.beanClass().getName())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
