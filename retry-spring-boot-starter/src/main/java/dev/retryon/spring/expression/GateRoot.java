/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.expression;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/** An object whose class is known at start-up, such as the bean that names without a qualifier are about. */
final class GateRoot {

    private final Class<?> type;

    private final Set<String> variables;

    GateRoot(Class<?> type, Set<String> variables) {
        this.type = type;
        this.variables = variables;
    }

    /**
     * Checks a node that is evaluated on the object itself.
     *
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    void check(SpelNode node) {
        if (mayHaveMore()) {
            return;
        }
        if (node instanceof MethodReference method) {
            checkMethod(method.getName(), method.getChildCount());
        } else if (node instanceof PropertyOrFieldReference property) {
            checkProperty(property.getName());
        }
    }

    /**
     * Checks a method that is called on a class: a static one of any visibility, because the class may be the
     * bean's, or a method of {@code java.lang.Class}.
     *
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    static void checkStatic(Class<?> type, MethodReference called) {
        String name = called.getName();
        int arguments = called.getChildCount();
        Method[] declared;
        try {
            declared = ReflectionUtils.getAllDeclaredMethods(type);
        } catch (IllegalStateException ex) {
            // A class that it mentions is missing, so its methods are not known.
            return;
        }
        if (Stream.concat(
                        Arrays.stream(declared).filter(method -> Modifier.isStatic(method.getModifiers())),
                        Arrays.stream(Class.class.getMethods()))
                .noneMatch(method -> method.getName().equals(name) && takes(method, arguments))) {
            throw new IllegalArgumentException(
                    calls(name, arguments) + ", but there is no such static method in " + type.getName());
        }
    }

    /** The type that a method of the bean gives; {@code null} if it is not certain. */
    static @Nullable Class<?> typeOf(Class<?> beanClass, MethodReference method) {
        List<Class<?>> types = new GateRoot(beanClass, Set.of())
                .methods(method.getName(), method.getChildCount())
                .<Class<?>>map(Method::getReturnType)
                .distinct()
                .toList();
        return types.size() == 1 ? types.get(0) : null;
    }

    /** Whether an object may have methods and properties that its declared type does not have. */
    private boolean mayHaveMore() {
        return type.isInterface() || Map.class.isAssignableFrom(type);
    }

    private void checkMethod(String name, int arguments) {
        if (methods(name, arguments).findAny().isEmpty()) {
            throw new IllegalArgumentException(
                    calls(name, arguments) + ", but there is no such method in " + type.getName());
        }
    }

    private static String calls(String name, int arguments) {
        return "calls " + name + " with " + arguments + (arguments == 1 ? " argument" : " arguments");
    }

    private Stream<Method> methods(String name, int arguments) {
        return Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type))
                .filter(method -> method.getName().equals(name) && takes(method, arguments));
    }

    private static boolean takes(Method method, int arguments) {
        return method.isVarArgs()
                ? arguments >= method.getParameterCount() - 1
                : arguments == method.getParameterCount();
    }

    private void checkProperty(String name) {
        String capitalized = StringUtils.capitalize(name);
        List<String> getters = List.of("get" + capitalized, "is" + capitalized, "get" + name, "is" + name, name);
        if (Arrays.stream(type.getMethods())
                        .noneMatch(method -> method.getParameterCount() == 0 && getters.contains(method.getName()))
                && Arrays.stream(type.getFields())
                        .noneMatch(field -> field.getName().equals(name))) {
            throw new IllegalArgumentException("names the property '" + name + "', which is no public one of "
                    + type.getName() + (variables.contains(name) ? "; the variable is written #" + name : ""));
        }
    }
}
