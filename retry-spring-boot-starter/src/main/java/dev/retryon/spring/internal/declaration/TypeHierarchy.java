// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.declaration;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/**
 * A class with all that it inherits from.
 *
 * @param types all the types, in the order in which their declarations grow stronger
 */
public record TypeHierarchy(Class<?> type, List<Class<?>> types) {

    /**
     * Interfaces first, the first-declared one of the class itself the strongest, but each after those that it extends;
     * then superclasses from the root down; then the class.
     */
    public static TypeHierarchy of(Class<?> type) {
        Set<Class<?>> strongestFirst = new LinkedHashSet<>();
        for (Class<?> next = type; next != null && next != Object.class; next = next.getSuperclass()) {
            strongestFirst.add(next);
        }
        for (Class<?> next = type; next != null; next = next.getSuperclass()) {
            addInterfaces(next, strongestFirst);
        }
        List<Class<?>> types = new ArrayList<>(strongestFirst);
        Collections.reverse(types);
        return new TypeHierarchy(type, List.copyOf(types));
    }

    private static void addInterfaces(Class<?> type, Set<Class<?>> strongestFirst) {
        for (Class<?> declared : type.getInterfaces()) {
            // Met again, it moves behind the one that extends it here.
            strongestFirst.remove(declared);
            strongestFirst.add(declared);
            addInterfaces(declared, strongestFirst);
        }
    }

    /** The methods that a method overrides or implements and the method itself, the weakest first. */
    public List<Method> declarationsOf(Method method) {
        if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
            return List.of(method);
        }
        List<Method> declarations = new ArrayList<>();
        for (Class<?> next : types) {
            if (next == method.getDeclaringClass()) {
                declarations.add(method);
                continue;
            }
            for (Method candidate : ReflectionUtils.getDeclaredMethods(next)) {
                if (isSame(candidate, method)) {
                    declarations.add(candidate);
                }
            }
        }
        return declarations;
    }

    private boolean isSame(Method candidate, Method method) {
        int modifiers = candidate.getModifiers();
        if (!candidate.getName().equals(method.getName())
                || candidate.getParameterCount() != method.getParameterCount()
                || Modifier.isPrivate(modifiers)
                || Modifier.isStatic(modifiers)
                || candidate.isBridge()) {
            return false;
        }
        Class<?>[] theirs = candidate.getParameterTypes();
        Class<?>[] ours = method.getParameterTypes();
        for (int i = 0; i < ours.length; i++) {
            if (theirs[i] != ours[i] && resolve(candidate, i) != resolve(method, i)) {
                return false;
            }
        }
        return true;
    }

    /** A type variable as this class binds it. */
    private Class<?> resolve(Method method, int parameter) {
        return ResolvableType.forMethodParameter(method, parameter, type).toClass();
    }
}
