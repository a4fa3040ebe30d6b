/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.expression;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.BooleanLiteral;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.NullLiteral;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpDivide;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.OpMinus;
import org.springframework.expression.spel.ast.OpModulus;
import org.springframework.expression.spel.ast.OpMultiply;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.OperatorInstanceof;
import org.springframework.expression.spel.ast.OperatorNot;
import org.springframework.expression.spel.ast.OperatorPower;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Finds certain faults in a parsed gate: unknown variables, beans and classes, and values that are no booleans.
 *
 * @param beans has the beans that gates may name
 * @param classes finds the classes that gates may name
 */
record GateCheck(BeanFactory beans, TypeLocator classes) {

    /** The variables whose types are the same for all methods. */
    private static final Map<String, Class<?>> TYPES = Map.of(
            "error", Throwable.class,
            "attempt", Integer.class,
            "maxAttempts", Integer.class,
            "elapsed", Duration.class);

    private static final Set<Class<?>> ARITHMETIC =
            Set.of(OpPlus.class, OpMinus.class, OpMultiply.class, OpDivide.class, OpModulus.class, OperatorPower.class);

    /**
     * Checks the names in an expression.
     *
     * @param known the variables that it may name, or {@code null} if they are not known yet
     * @param beanClass the class of the bean that names without a qualifier are about
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    void check(SpelNode gate, @Nullable GateVariables known, Class<?> beanClass) {
        checkNames(gate);
        if (known != null) {
            checkVariables(gate, known);
            checkSigns(gate, known, beanClass);
        }
        Set<String> named = new TreeSet<>();
        collectBeans(gate, named);
        for (String name : named) {
            if (!beans.containsBean(name)) {
                throw new IllegalArgumentException("names the bean '" + name + "', which does not exist");
            }
        }
    }

    /** Whether a gate asks for the elapsed time. */
    static boolean isTimed(SpelNode gate) {
        return (gate instanceof VariableReference variable && name(variable).equals("elapsed"))
                || children(gate).anyMatch(GateCheck::isTimed);
    }

    /** Adds the names of the beans in a gate. */
    static void collectBeans(SpelNode node, Set<String> names) {
        if (node instanceof BeanReference) {
            names.add(node.toStringAST().replaceAll("[@&'\"]", ""));
        }
        children(node).forEach(child -> collectBeans(child, names));
    }

    /** Throws IllegalArgumentException, with a sentence that says what is wrong, if the value is certainly no boolean. */
    static void checkBoolean(SpelNode gate) {
        Class<?> given = given(gate);
        if (given != null && !given.isAssignableFrom(Boolean.class)) {
            throw new IllegalArgumentException(
                    "gives " + given.getTypeName() + " (" + gate.toStringAST() + "), which is not a boolean");
        }
        if ((gate instanceof Literal && !(gate instanceof BooleanLiteral || gate instanceof NullLiteral))
                || gate instanceof InlineList
                || gate instanceof InlineMap
                || gate instanceof TypeReference
                || ARITHMETIC.contains(gate.getClass())) {
            throw new IllegalArgumentException("gives " + gate.toStringAST() + ", which is not a boolean");
        }
    }

    /** The type of a variable or of one of its properties; {@code null} if it is not certain. */
    private static @Nullable Class<?> given(SpelNode node) {
        if (node instanceof VariableReference variable) {
            return TYPES.get(name(variable));
        }
        if (!(node instanceof CompoundExpression)) {
            return null;
        }
        Class<?> type = given(node.getChild(0));
        for (int i = 1; i < node.getChildCount() && type != null; i++) {
            Method step = null;
            if (node.getChild(i) instanceof PropertyOrFieldReference property) {
                step = ClassUtils.getMethodIfAvailable(type, "get" + StringUtils.capitalize(property.getName()));
            } else if (node.getChild(i) instanceof MethodReference method && method.getChildCount() == 0) {
                step = ClassUtils.getMethodIfAvailable(type, method.getName());
            }
            type = step == null || step.getReturnType() == Class.class
                    ? null
                    : ClassUtils.resolvePrimitiveIfNecessary(step.getReturnType());
        }
        return type;
    }

    private void checkNames(SpelNode node) {
        if (node instanceof Assign || node instanceof OpInc || node instanceof OpDec) {
            throw new IllegalArgumentException("assigns a value; two values are compared with ==");
        }
        if (node instanceof FunctionReference) {
            throw new IllegalArgumentException("calls the function " + node.toStringAST()
                    + ", but there are none; a method of the bean is called without '#'");
        }
        if (node instanceof TypeReference) {
            checkClass(node.getChild(0).toStringAST());
        }
        if (node instanceof OperatorInstanceof && isBareClass(node.getChild(1))) {
            throw new IllegalArgumentException("has " + node.getChild(1).toStringAST()
                    + " after instanceof, but a class is written with its full name within T(…), such as"
                    + " T(java.io.IOException)");
        }
        children(node).forEach(this::checkNames);
    }

    private void checkClass(String name) {
        // Names without a dot that begin in lower case are those of primitive types.
        if (name.indexOf('.') < 0 && !Character.isUpperCase(name.charAt(0))) {
            return;
        }
        try {
            classes.findType(name);
        } catch (EvaluationException ex) {
            throw new IllegalArgumentException(
                    "names the class '" + name + "', "
                            + (name.indexOf('.') < 0
                                    ? "which is not in java.lang; write other classes with their package"
                                    : "which is not on the class path"),
                    ex);
        }
    }

    /** Whether a node that SpEL reads as a property is written as a class, such as {@code java.io.IOException}. */
    private static boolean isBareClass(SpelNode node) {
        return node.toStringAST().matches("(\\w+\\.)*\\p{Lu}\\w*\\p{Ll}\\w*");
    }

    private static void checkVariables(SpelNode node, GateVariables known) {
        if (node instanceof VariableReference variable) {
            known.require(name(variable));
        }
        children(node).forEach(child -> checkVariables(child, known));
    }

    /** Finds variables without their sign, which SpEL reads as properties of the bean. */
    private static void checkSigns(SpelNode node, GateVariables known, Class<?> beanClass) {
        SpelNode first = node instanceof CompoundExpression ? node.getChild(0) : node;
        if (first instanceof PropertyOrFieldReference property) {
            String name = property.getName();
            if (known.names().contains(name) && !hasProperty(beanClass, name)) {
                throw new IllegalArgumentException("names the property '" + name + "', which is not a public property"
                        + " of "
                        + beanClass.getName() + "; the variable is written #" + name);
            }
        }
        if (node instanceof Operator || node instanceof OperatorNot) {
            children(node).forEach(child -> checkSigns(child, known, beanClass));
        }
    }

    private static boolean hasProperty(Class<?> type, String name) {
        String capitalized = StringUtils.capitalize(name);
        return type == Object.class
                || type.isInterface()
                || Map.class.isAssignableFrom(type)
                || Stream.of("get" + capitalized, "is" + capitalized, name)
                        .anyMatch(getter -> ClassUtils.getMethodIfAvailable(type, getter) != null)
                || Stream.of(type.getFields()).anyMatch(field -> field.getName().equals(name));
    }

    private static Stream<SpelNode> children(SpelNode node) {
        return IntStream.range(0, node.getChildCount()).mapToObj(node::getChild);
    }

    private static String name(VariableReference variable) {
        return variable.toStringAST().substring(1);
    }
}
