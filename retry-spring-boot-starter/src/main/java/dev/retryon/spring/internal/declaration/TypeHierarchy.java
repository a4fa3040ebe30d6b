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

/** A class with all its supertypes, from the weakest to the strongest declarations. */
public record TypeHierarchy(Class<?> type, List<Class<?>> types) {

    /**
     * Returns the hierarchy in this order: interfaces, superclasses from the root down, the class. Among the interfaces, the one
     * that the class itself declares first is the strongest, but each interface comes after those that it extends.
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
            // An interface that occurs again moves behind the one that extends it here.
            strongestFirst.remove(declared);
            strongestFirst.add(declared);
            addInterfaces(declared, strongestFirst);
        }
    }

    /** Returns the method and all methods that it overrides or implements, the weakest first. */
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

    private Class<?> resolve(Method method, int parameter) {
        return ResolvableType.forMethodParameter(method, parameter, type).toClass();
    }
}
