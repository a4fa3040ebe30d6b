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
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OperatorInstanceof;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;

/**
 * Follows chains of properties and methods in a gate, such as {@code #order.customer.name}, as far as the type of each step is
 * known.
 */
final class GateChains {

    private final Class<?> beanClass;

    /** The chains that the gate asks for their class. */
    private final Set<String> cast = new HashSet<>();

    /** Whether the gate asks anything for its class, other than by instanceof. */
    private boolean asksForClass;

    GateChains(Class<?> beanClass, SpelNode gate) {
        this.beanClass = beanClass;
        lookForCasts(gate);
    }

    private void lookForCasts(SpelNode node) {
        if (node instanceof OperatorInstanceof) {
            cast.add(text(node.getChild(0)));
        }
        asksForClass |= asksForClass(node);
        for (int i = 0; i < node.getChildCount(); i++) {
            lookForCasts(node.getChild(i));
        }
    }

    private static boolean asksForClass(SpelNode node) {
        if (node instanceof MethodReference method) {
            return method.getName().equals("getClass") || method.getName().equals("isInstance");
        }
        return node instanceof PropertyOrFieldReference property
                && property.getName().equals("class");
    }

    /**
     * Checks each step of a chain, up to the first whose type is not known.
     *
     * @param start the types that the first step may give; the others are looked for in them
     * @return the types that the last step may give; empty if they are not known
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    Set<Class<?>> follow(Set<Class<?>> start, SpelNode chain) {
        Set<Class<?>> given = start;
        String text = text(chain.getChild(0));
        for (int i = 1; i < chain.getChildCount(); i++) {
            if (cast.contains(text) || given.isEmpty() || !given.stream().allMatch(this::isKnown)) {
                return Set.of();
            }
            SpelNode step = chain.getChild(i);
            given = step(given.stream().map(this::root).toList(), step);
            text += "." + text(step);
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

    private static String text(SpelNode node) {
        return node instanceof CompoundExpression ? node.toStringAST().replace("?.", ".") : node.toStringAST();
    }

    /**
     * Whether nearly all values are of this very class, and have only what it declares: of an interface, an abstract class or
     * an exception few are, an optional value has what it holds, and a class its static members.
     */
    private boolean isKnown(Class<?> type) {
        return !type.isPrimitive()
                && !type.isArray()
                && !Modifier.isAbstract(type.getModifiers())
                && (Modifier.isFinal(type.getModifiers()) || !(asksForClass || type.isEnum()))
                && type != Object.class
                && type != Optional.class
                && type != Class.class
                && !Throwable.class.isAssignableFrom(type)
                && !Map.class.isAssignableFrom(type);
    }
}
