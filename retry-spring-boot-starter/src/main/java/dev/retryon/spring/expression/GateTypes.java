/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.expression;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BooleanLiteral;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.OpAnd;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpDivide;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.OpMinus;
import org.springframework.expression.spel.ast.OpModulus;
import org.springframework.expression.spel.ast.OpMultiply;
import org.springframework.expression.spel.ast.OpOr;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.OperatorNot;
import org.springframework.expression.spel.ast.OperatorPower;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.support.StandardTypeLocator;
import org.springframework.util.ClassUtils;

/** What can be known of a gate before it is evaluated: whether it gives a boolean, and what its variables have. */
final class GateTypes {

    private static final StandardTypeLocator TYPES = new StandardTypeLocator();

    /** By the name of the variable, without the number sign. */
    private final Map<String, Class<?>> types = new HashMap<>();

    private final Class<?> beanClass;

    private final int arguments;

    GateTypes(Class<?> beanClass, Method method, @Nullable String @Nullable [] names, boolean overResult) {
        this.beanClass = beanClass;
        types.put("attempt", Integer.class);
        types.put("maxAttempts", Integer.class);
        types.put("elapsed", Duration.class);
        Class<?>[] parameters = DeclaredParameters.types(method);
        this.arguments = parameters.length;
        for (int i = 0; i < parameters.length; i++) {
            types.put("p" + i, parameters[i]);
            if (names != null && i < names.length && names[i] != null) {
                types.putIfAbsent(names[i], parameters[i]);
            }
        }
        // Errors are of many classes, of which the declared one is the least.
        types.remove("error");
        types.remove("args");
        // The result of a future is the value that it holds.
        if (overResult && !Future.class.isAssignableFrom(method.getReturnType())) {
            types.put("result", method.getReturnType());
        } else {
            types.remove("result");
        }
    }

    /**
     * Checks a gate.
     *
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    void check(SpelNode gate) {
        checkForm(gate);
        checkMembers(gate);
        checkValue(gate);
    }

    /** Checks what does not depend on a method. */
    static void checkForm(SpelNode gate) {
        if ((gate instanceof Literal && !(gate instanceof BooleanLiteral))
                || gate instanceof InlineList
                || gate instanceof InlineMap
                || isArithmetic(gate)) {
            throw new IllegalArgumentException("gives " + gate.toStringAST() + ", which is not a boolean");
        }
        checkNodes(gate);
    }

    private static boolean isArithmetic(SpelNode node) {
        return node instanceof OpPlus
                || node instanceof OpMinus
                || node instanceof OpMultiply
                || node instanceof OpDivide
                || node instanceof OpModulus
                || node instanceof OperatorPower;
    }

    private static void checkNodes(SpelNode node) {
        if (node instanceof Assign || node instanceof OpInc || node instanceof OpDec) {
            throw new IllegalArgumentException("assigns a value; two values are compared with ==");
        }
        if (node instanceof TypeReference type) {
            checkType(type.getChild(0).toStringAST());
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            checkNodes(node.getChild(i));
        }
    }

    private static void checkType(String name) {
        // Names without a dot that begin in lower case are those of primitive types.
        if (name.indexOf('.') >= 0 || Character.isUpperCase(name.charAt(0))) {
            try {
                TYPES.findType(name);
            } catch (EvaluationException ex) {
                throw new IllegalArgumentException(
                        "names the class '" + name + "', which is not on the class path", ex);
            }
        }
    }

    private void checkMembers(SpelNode node) {
        if (node instanceof CompoundExpression && node.getChild(0) instanceof VariableReference variable) {
            String name = variable.toStringAST().substring(1);
            if (name.equals("args") && node.getChild(1) instanceof Indexer index) {
                checkArgument(index.getChild(0).toStringAST());
            }
            Class<?> type = types.get(name);
            if (type != null && isKnown(type)) {
                GateRoot.of(type).check(node.getChild(1));
            } else if ((name.equals("target") || name.equals("root")) && isKnown(beanClass)) {
                GateRoot.ofBean(beanClass, Set.of()).check(node.getChild(1));
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            checkMembers(node.getChild(i));
        }
    }

    private void checkArgument(String index) {
        if (index.matches("\\d{1,5}") && Integer.parseInt(index) >= arguments) {
            throw new IllegalArgumentException("names #args[" + index + "], but the method has " + arguments
                    + (arguments == 1 ? " argument" : " arguments") + ", the first of which is #args[0]");
        }
    }

    /** Checks that a node may give a boolean. */
    private void checkValue(SpelNode node) {
        if (node instanceof OpAnd || node instanceof OpOr || node instanceof OperatorNot) {
            for (int i = 0; i < node.getChildCount(); i++) {
                checkValue(node.getChild(i));
            }
            return;
        }
        Set<Class<?>> given = given(node);
        if (!given.isEmpty() && given.stream().noneMatch(GateTypes::mayBeBoolean)) {
            throw new IllegalArgumentException("gives "
                    + given.stream().map(Class::getTypeName).sorted().collect(Collectors.joining(" or ")) + " ("
                    + node.toStringAST() + "), which is not a boolean");
        }
    }

    /** The types of which a node gives a value; empty if they are not known. */
    private Set<Class<?>> given(SpelNode node) {
        if (node instanceof VariableReference variable) {
            return given(variable.toStringAST().substring(1));
        }
        if (node instanceof CompoundExpression
                && node.getChildCount() == 2
                && node.getChild(0) instanceof VariableReference variable) {
            Class<?> type = types.get(variable.toStringAST().substring(1));
            return type != null && isKnown(type) ? GateRoot.of(type).types(node.getChild(1)) : Set.of();
        }
        return GateRoot.ofBean(beanClass, Set.of()).types(node);
    }

    private Set<Class<?>> given(String variable) {
        Class<?> type = variable.equals("error") ? Throwable.class : types.get(variable);
        // What comes later is of another type than the method declares.
        boolean isHolder = variable.equals("result")
                && type != null
                && !type.isPrimitive()
                && !type.getName().startsWith("java.lang.");
        return type == null || isHolder ? Set.of() : Set.of(type);
    }

    private static boolean mayBeBoolean(Class<?> type) {
        return ClassUtils.resolvePrimitiveIfNecessary(type).isAssignableFrom(Boolean.class);
    }

    /** Whether nearly all values are of this very class; of an interface or an abstract class none is. */
    private static boolean isKnown(Class<?> type) {
        return !type.isPrimitive()
                && !type.isArray()
                && !type.isEnum()
                && !Modifier.isAbstract(type.getModifiers())
                && type != Object.class
                && !Map.class.isAssignableFrom(type);
    }
}
