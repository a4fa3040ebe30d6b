/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.expression;

import java.lang.reflect.GenericSignatureFormatError;
import java.lang.reflect.MalformedParameterizedTypeException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/** An object whose class is known at start-up, such as the bean that names without a qualifier are about. */
final class GateRoot {

    private final Class<?> type;

    private final boolean isBean;

    private final Set<String> variables;

    private GateRoot(Class<?> type, boolean isBean, Set<String> variables) {
        this.type = type;
        this.isBean = isBean;
        this.variables = variables;
    }

    /** The bean, of which methods of any visibility can be called. */
    static GateRoot ofBean(Class<?> beanClass, Set<String> variables) {
        return new GateRoot(beanClass, true, variables);
    }

    /** Something else, of which public methods can be called. */
    static GateRoot of(Class<?> type) {
        return new GateRoot(type, false, Set.of());
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

    /** Whether a node may be evaluated on the object. */
    boolean has(SpelNode node) {
        if (node instanceof MethodReference method) {
            return mayHaveMore()
                    || methods(method.getName(), method.getChildCount())
                            .findAny()
                            .isPresent();
        }
        return !(node instanceof PropertyOrFieldReference property)
                || mayHaveMore()
                || propertyTypes(property.getName()).findAny().isPresent();
    }

    /** The types of which a node that is evaluated on the object gives a value; empty if they are not known. */
    Set<Class<?>> types(SpelNode node) {
        if (mayHaveMore()) {
            return Set.of();
        }
        Stream<Supplier<Type>> declared = Stream.of();
        if (node instanceof MethodReference method) {
            declared = methods(method.getName(), method.getChildCount()).map(found -> found::getGenericReturnType);
        } else if (node instanceof PropertyOrFieldReference property) {
            declared = propertyTypes(property.getName());
        }
        Set<Class<?>> types = new HashSet<>();
        for (Supplier<Type> next : declared.toList()) {
            Class<?> known = known(next, type);
            if (known == null) {
                return Set.of();
            }
            types.add(known);
        }
        return types;
    }

    /**
     * The class of what is declared.
     *
     * @param in the class that has it, which may say what a type variable stands for
     * @return {@code null} if it is not known: an unresolved type variable stands for a type that may have more than its bound,
     *     and a type may be missing
     */
    static @Nullable Class<?> known(Supplier<Type> declared, Class<?> in) {
        try {
            Type type = declared.get();
            if (!(type instanceof TypeVariable<?> variable)) {
                return ResolvableType.forType(type).toClass();
            }
            if (!(variable.getGenericDeclaration() instanceof Class<?> owner)) {
                return null;
            }
            int index = List.of(owner.getTypeParameters()).indexOf(variable);
            ResolvableType actual = ResolvableType.forClass(owner, in).getGeneric(index);
            return actual.getType() instanceof TypeVariable ? null : actual.toClass();
        } catch (TypeNotPresentException | MalformedParameterizedTypeException | GenericSignatureFormatError ex) {
            return null;
        }
    }

    /** Whether an object may have methods and properties that its declared type does not have. */
    private boolean mayHaveMore() {
        return type.isInterface() || Map.class.isAssignableFrom(type);
    }

    private void checkMethod(String name, int arguments) {
        if (methods(name, arguments).findAny().isEmpty()) {
            throw new IllegalArgumentException(calls(name, arguments) + ", but there is no such "
                    + (isBean ? "" : "public ") + "method in " + type.getName());
        }
    }

    private static String calls(String name, int arguments) {
        return "calls " + name + " with " + arguments + (arguments == 1 ? " argument" : " arguments");
    }

    private Stream<Method> methods(String name, int arguments) {
        Stream<Method> methods = isBean
                ? Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type))
                        .filter(method -> method.getName().equals(name))
                : publicMethods(name);
        return methods.filter(method -> takes(method, arguments));
    }

    private static boolean takes(Method method, int arguments) {
        return method.isVarArgs()
                ? arguments >= method.getParameterCount() - 1
                : arguments == method.getParameterCount();
    }

    private void checkProperty(String name) {
        if (propertyTypes(name).findAny().isEmpty()) {
            throw new IllegalArgumentException("names the property '" + name + "', which is no public one of "
                    + type.getName() + (variables.contains(name) ? "; the variable is written #" + name : ""));
        }
    }

    private Stream<Supplier<Type>> propertyTypes(String name) {
        String capitalized = StringUtils.capitalize(name);
        return Stream.concat(
                Stream.of("get" + capitalized, "is" + capitalized, "get" + name, "is" + name, name)
                        .flatMap(this::publicMethods)
                        .filter(method -> method.getParameterCount() == 0)
                        .map(method -> method::getGenericReturnType),
                Arrays.stream(type.getFields())
                        .filter(field -> field.getName().equals(name))
                        .map(field -> field::getGenericType));
    }

    private Stream<Method> publicMethods(String name) {
        return Arrays.stream(type.getMethods())
                .filter(method -> method.getName().equals(name) && Modifier.isPublic(method.getModifiers()));
    }
}
