/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.expression;

import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OperatorInstanceof;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;

/**
 * Follows chains of properties and methods in a gate, such as {@code #order.customer.name}, as far as the type of each step is
 * known.
 */
final class GateChains {

    private final Class<?> beanClass;

    /** Whether the gate asks anything for its class. */
    private final boolean asksForClass;

    GateChains(Class<?> beanClass, SpelNode gate) {
        this.beanClass = beanClass;
        this.asksForClass = asksForClass(gate);
    }

    private static boolean asksForClass(SpelNode node) {
        boolean asks = node instanceof OperatorInstanceof
                || (node instanceof MethodReference method
                        && (method.getName().equals("getClass")
                                || method.getName().equals("isInstance")))
                || (node instanceof PropertyOrFieldReference property
                        && property.getName().equals("class"));
        for (int i = 0; i < node.getChildCount() && !asks; i++) {
            asks = asksForClass(node.getChild(i));
        }
        return asks;
    }

    /**
     * Checks each step of a chain, up to the first whose type is not known.
     *
     * @param start the types that the first part of the chain may give; the steps are looked for in them
     * @param isDeclared whether they are those of the method's own parameters or result, or of the bean
     * @return the types that the last step may give; empty if they are not known
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    Set<Class<?>> follow(Set<Class<?>> start, boolean isDeclared, SpelNode chain) {
        Set<Class<?>> given = start;
        for (int i = 1; i < chain.getChildCount(); i++) {
            boolean isOpenKnown = isDeclared && i == 1 && !asksForClass;
            if (given.isEmpty() || !given.stream().allMatch(type -> isKnown(type, isOpenKnown))) {
                return Set.of();
            }
            given = step(given.stream().map(this::root).toList(), chain.getChild(i));
        }
        return given;
    }

    /** A member that one of several types has is there. */
    private static Set<Class<?>> step(List<GateRoot> roots, SpelNode step) {
        if (roots.stream().noneMatch(root -> root.has(step))) {
            roots.get(0).check(step);
        }
        Set<Class<?>> given = new HashSet<>();
        for (GateRoot root : roots) {
            Set<Class<?>> types = root.types(step);
            if (types.isEmpty() && root.has(step)) {
                return Set.of();
            }
            given.addAll(types);
        }
        return given;
    }

    private GateRoot root(Class<?> type) {
        return beanClass != Object.class && beanClass.isAssignableFrom(type)
                ? GateRoot.ofBean(type, Set.of())
                : GateRoot.of(type);
    }

    /**
     * Whether values are of this very class, and have only what it declares. Of an interface, an abstract class or an exception
     * few are, an optional value has what it holds, and a class its static members.
     *
     * @param isOpenKnown whether a class that may have subclasses is known too: a subclass is rare where a method names a class
     *     as its parameter, and usual in what that holds
     */
    private static boolean isKnown(Class<?> type, boolean isOpenKnown) {
        return !type.isPrimitive()
                && !type.isArray()
                && !Modifier.isAbstract(type.getModifiers())
                && (Modifier.isFinal(type.getModifiers()) || (isOpenKnown && !type.isEnum()))
                && type != Object.class
                && type != Optional.class
                && type != Class.class
                && !Throwable.class.isAssignableFrom(type)
                && !Map.class.isAssignableFrom(type);
    }
}
