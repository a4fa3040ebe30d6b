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
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BooleanLiteral;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpDivide;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.OpMinus;
import org.springframework.expression.spel.ast.OpModulus;
import org.springframework.expression.spel.ast.OpMultiply;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.OperatorPower;
import org.springframework.expression.spel.ast.VariableReference;

/** What can be known of a gate before it is evaluated: whether it gives a boolean, and what its variables have. */
final class GateTypes {

    /** By the name of the variable, without the number sign. */
    private final Map<String, Class<?>> types = new HashMap<>();

    private final Class<?> beanClass;

    GateTypes(Class<?> beanClass, Method method, @Nullable String @Nullable [] names, boolean overResult) {
        this.beanClass = beanClass;
        types.put("attempt", Integer.class);
        types.put("maxAttempts", Integer.class);
        types.put("elapsed", Duration.class);
        Class<?>[] parameters = DeclaredParameters.types(method);
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
    }

    /** Checks what does not depend on a method. */
    static void checkForm(SpelNode gate) {
        if ((gate instanceof Literal && !(gate instanceof BooleanLiteral))
                || gate instanceof InlineList
                || gate instanceof InlineMap
                || isArithmetic(gate)) {
            throw new IllegalArgumentException("gives " + gate.toStringAST() + ", which is not a boolean");
        }
        checkAssignments(gate);
    }

    private static boolean isArithmetic(SpelNode node) {
        return node instanceof OpPlus
                || node instanceof OpMinus
                || node instanceof OpMultiply
                || node instanceof OpDivide
                || node instanceof OpModulus
                || node instanceof OperatorPower;
    }

    private static void checkAssignments(SpelNode node) {
        if (node instanceof Assign || node instanceof OpInc || node instanceof OpDec) {
            throw new IllegalArgumentException("assigns a value; two values are compared with ==");
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            checkAssignments(node.getChild(i));
        }
    }

    private void checkMembers(SpelNode node) {
        if (node instanceof CompoundExpression && node.getChild(0) instanceof VariableReference variable) {
            String name = variable.toStringAST().substring(1);
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
