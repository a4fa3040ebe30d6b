// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.expression;

import dev.retryon.spring.internal.report.Suggestion;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
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
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Finds certain faults in a parsed gate: unknown variables, beans and classes, and values that are no booleans. Throws
 * IllegalArgumentException with a sentence that describes the fault.
 */
record GateCheck(BeanFactory beans, TypeLocator classes) {

    /** The variables whose types are the same for all methods. */
    private static final Map<String, Class<?>> TYPES = Map.of(
            "error", Throwable.class,
            "attempt", Integer.class,
            "maxAttempts", Integer.class,
            "elapsed", Duration.class);

    /** The variables for the root object, unless it is the element of a list. */
    private static final Set<String> TARGET = Set.of("root", "target");

    private static final Set<Class<?>> ARITHMETIC =
            Set.of(OpPlus.class, OpMinus.class, OpMultiply.class, OpDivide.class, OpModulus.class, OperatorPower.class);

    /**
     * Checks the names in an expression. The variables are {@code null} if they are not known yet. Names without a
     * qualifier are those of the bean class.
     */
    void check(SpelNode gate, @Nullable GateVariables known, Class<?> beanClass) {
        nodes(gate).forEach(this::checkName);
        if (known != null) {
            nodes(gate).forEach(node -> {
                if (node instanceof VariableReference variable) {
                    known.require(name(variable));
                }
            });
            checkSigns(gate, known, beanClass);
        }
        for (String name : beans(gate)) {
            if (!beans.containsBean(name)) {
                throw new IllegalArgumentException("names the bean '" + name + "', which does not exist");
            }
        }
    }

    static boolean isTimed(SpelNode gate) {
        return nodes(gate)
                .anyMatch(node -> node instanceof VariableReference variable
                        && name(variable).equals("elapsed"));
    }

    /** The names of the beans in a gate, sorted. */
    static Set<String> beans(SpelNode gate) {
        return nodes(gate)
                .filter(BeanReference.class::isInstance)
                .map(node -> node.toStringAST().replaceAll("[@&'\"]", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Rejects an expression whose value is certainly no boolean. */
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

    private void checkName(SpelNode node) {
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

    /**
     * Checks that the target has the methods that a gate calls on it, with or without {@code #root} or {@code #target} before
     * them. As in SpEL, a method is found by its name and its number of arguments.
     */
    static void checkMethods(SpelNode node, Method[] methods, Class<?> targetClass) {
        if (node instanceof Selection || node instanceof Projection) {
            // Here, a name without a qualifier belongs to the element.
            return;
        }
        boolean isQualified = node instanceof CompoundExpression;
        for (int i = 0; i < node.getChildCount(); i++) {
            SpelNode child = node.getChild(i);
            if (isQualified && i > 0 && child instanceof MethodReference && !(i == 1 && isTarget(node.getChild(0)))) {
                children(child).forEach(argument -> checkMethods(argument, methods, targetClass));
            } else {
                checkMethods(child, methods, targetClass);
            }
        }
        if (node instanceof MethodReference called) {
            checkMethod(called, methods, targetClass);
        }
    }

    private static boolean isTarget(SpelNode node) {
        return node instanceof VariableReference variable && TARGET.contains(name(variable));
    }

    private static void checkMethod(MethodReference called, Method[] methods, Class<?> targetClass) {
        int arguments = called.getChildCount();
        Set<String> names = new TreeSet<>();
        boolean isNamed = false;
        for (Method method : methods) {
            boolean isNamesake = method.getName().equals(called.getName());
            int parameters = method.getParameterCount();
            if (isNamesake && (parameters == arguments || (method.isVarArgs() && arguments >= parameters - 1))) {
                return;
            }
            isNamed |= isNamesake;
            names.add(method.getName());
        }
        throw new IllegalArgumentException(
                isNamed
                        ? "calls " + called.toStringAST() + ", but no method '" + called.getName() + "' of "
                                + targetClass.getName() + " takes " + arguments
                                + (arguments == 1 ? " argument" : " arguments")
                        : "calls the method '" + called.getName() + "', which " + targetClass.getName()
                                + " does not have" + Suggestion.of(called.getName(), names));
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

    /** A node and all nodes below it, in the order of the text. */
    private static Stream<SpelNode> nodes(SpelNode node) {
        return Stream.concat(Stream.of(node), children(node).flatMap(GateCheck::nodes));
    }

    private static Stream<SpelNode> children(SpelNode node) {
        return IntStream.range(0, node.getChildCount()).mapToObj(node::getChild);
    }

    private static String name(VariableReference variable) {
        return variable.toStringAST().substring(1);
    }
}
