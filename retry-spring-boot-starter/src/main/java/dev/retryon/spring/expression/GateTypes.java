/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.expression;

import java.lang.reflect.GenericSignatureFormatError;
import java.lang.reflect.MalformedParameterizedTypeException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BooleanLiteral;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.NullLiteral;
import org.springframework.expression.spel.ast.OpAnd;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpDivide;
import org.springframework.expression.spel.ast.OpEQ;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.OpMinus;
import org.springframework.expression.spel.ast.OpModulus;
import org.springframework.expression.spel.ast.OpMultiply;
import org.springframework.expression.spel.ast.OpNE;
import org.springframework.expression.spel.ast.OpOr;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.OperatorInstanceof;
import org.springframework.expression.spel.ast.OperatorPower;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** What can be known of a gate before it is evaluated: whether it gives a boolean, and what its variables have. */
final class GateTypes {

    /** Variables that a parameter of the same name does not replace. */
    private static final Set<String> NOT_OF_PARAMETERS = Set.of("error", "result", "args", "target", "root", "this");

    /** By the name of the variable, without the number sign; {@code null} where the type is not known. */
    private final Map<String, @Nullable Class<?>> types = new HashMap<>();

    private final Class<?> beanClass;

    private final int arguments;

    GateTypes(
            Class<?> beanClass, Method method, @Nullable String @Nullable [] names, RetryExpressions.Subject subject) {
        this.beanClass = beanClass;
        this.arguments = DeclaredParameters.count(method);
        // In the order in which an evaluation sets them: what comes later wins.
        for (int i = 0; i < arguments; i++) {
            Parameter parameter = method.getParameters()[i];
            Class<?> type = known(parameter::getParameterizedType, beanClass);
            types.put("p" + i, type);
            if (names != null && i < names.length && names[i] != null) {
                types.put(names[i], type);
            }
        }
        types.put("attempt", Integer.class);
        types.put("maxAttempts", Integer.class);
        types.put("elapsed", Duration.class);
        NOT_OF_PARAMETERS.forEach(types.keySet()::remove);
        // Where it may be held by what the method returns, the result is of another type.
        if (subject == RetryExpressions.Subject.RESULT && isPlain(method.getReturnType())) {
            types.put("result", known(method::getGenericReturnType, beanClass));
        } else if (subject == RetryExpressions.Subject.ERROR) {
            // Where there is a result there is no error.
            types.put("error", Throwable.class);
        }
    }

    /**
     * Checks a gate.
     *
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    void check(SpelNode gate) {
        checkMembers(gate);
        checkArguments(gate);
        checkComparisons(gate);
        Class<?> given = given(gate);
        if (given != null && !ClassUtils.resolvePrimitiveIfNecessary(given).isAssignableFrom(Boolean.class)) {
            throw new IllegalArgumentException(
                    "gives " + given.getTypeName() + " (" + gate.toStringAST() + "), which is not a boolean");
        }
    }

    /** Checks what does not depend on a method. */
    static void checkForm(SpelNode gate, TypeLocator classes) {
        if ((gate instanceof Literal && !(gate instanceof BooleanLiteral || gate instanceof NullLiteral))
                || gate instanceof InlineList
                || gate instanceof InlineMap
                || gate instanceof TypeReference
                || isArithmetic(gate)) {
            throw new IllegalArgumentException("gives " + gate.toStringAST() + ", which is not a boolean");
        }
        checkNodes(gate, classes);
    }

    private static boolean isArithmetic(SpelNode node) {
        return node instanceof OpPlus
                || node instanceof OpMinus
                || node instanceof OpMultiply
                || node instanceof OpDivide
                || node instanceof OpModulus
                || node instanceof OperatorPower;
    }

    private static void checkNodes(SpelNode node, TypeLocator classes) {
        if (node instanceof CompoundExpression
                && node.getChild(0) instanceof TypeReference type
                && node.getChild(1) instanceof MethodReference method) {
            checkStaticMethod(type, method, classes);
        }
        if (node instanceof CompoundExpression
                && node.getChild(0) instanceof TypeReference type
                && node.getChild(1) instanceof PropertyOrFieldReference constant) {
            checkConstant(typeOf(type, classes), constant.getName());
        }
        if (node instanceof Assign || node instanceof OpInc || node instanceof OpDec) {
            throw new IllegalArgumentException("assigns a value; two values are compared with ==");
        }
        if (node instanceof TypeReference type) {
            typeOf(type, classes);
        }
        if (node instanceof ConstructorReference) {
            find(node.getChild(0).toStringAST(), classes);
        }
        if (node instanceof OperatorInstanceof && isBareClass(node.getChild(1))) {
            throw new IllegalArgumentException("has " + node.getChild(1).toStringAST()
                    + " after instanceof, but a class is written with its full name within T(…), such as"
                    + " T(java.io.IOException)");
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            checkNodes(node.getChild(i), classes);
        }
    }

    /** Finds a class; of an array its component type, and {@code null} for a primitive type. */
    private static @Nullable Class<?> typeOf(TypeReference type, TypeLocator classes) {
        return find(type.getChild(0).toStringAST(), classes);
    }

    private static @Nullable Class<?> find(String name, TypeLocator classes) {
        // Names without a dot that begin in lower case are those of primitive types.
        if (name.indexOf('.') < 0 && !Character.isUpperCase(name.charAt(0))) {
            return null;
        }
        try {
            return classes.findType(name);
        } catch (EvaluationException ex) {
            throw new IllegalArgumentException(
                    "names the class '" + name + "', "
                            + (name.indexOf('.') < 0
                                    ? "which is none of java.lang; others are written with their package"
                                    : "which is not on the class path"),
                    ex);
        }
    }

    /**
     * Whether a node that is read as a property, or as properties of one, is written as a class. A constant that holds a class has
     * no lower-case letter.
     */
    private static boolean isBareClass(SpelNode node) {
        if (node instanceof CompoundExpression) {
            for (int i = 0; i < node.getChildCount(); i++) {
                if (!(node.getChild(i) instanceof PropertyOrFieldReference)) {
                    return false;
                }
            }
            return isBareClass(node.getChild(node.getChildCount() - 1));
        }
        return node instanceof PropertyOrFieldReference property
                && property.getName().matches("\\p{Lu}.*\\p{Ll}.*");
    }

    private static void checkStaticMethod(TypeReference reference, MethodReference method, TypeLocator classes) {
        Class<?> type = typeOf(reference, classes);
        if (type != null && !reference.toStringAST().endsWith("[])")) {
            GateRoot.checkStatic(type, method);
        }
    }

    /** Only of an enum, and only what is written as a constant: others have static methods and those of a class as well. */
    private static void checkConstant(@Nullable Class<?> type, String name) {
        if (type != null
                && type.isEnum()
                && name.matches("[\\p{Lu}\\d_]+")
                && Arrays.stream(type.getFields())
                        .noneMatch(field -> field.getName().equals(name))) {
            throw new IllegalArgumentException(
                    "names the constant '" + name + "', which is none of " + constants(type) + " in " + type.getName());
        }
    }

    /** A constant of an enum never equals a text, whatever the text. */
    private void checkComparisons(SpelNode node) {
        if (node instanceof OpEQ || node instanceof OpNE) {
            checkComparison(node.getChild(0), node.getChild(1));
            checkComparison(node.getChild(1), node.getChild(0));
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            checkComparisons(node.getChild(i));
        }
    }

    private void checkComparison(SpelNode compared, SpelNode with) {
        if (!(with instanceof StringLiteral) || !(first(compared) instanceof VariableReference)) {
            return;
        }
        Class<?> type = given(compared);
        if (type != null && type.isEnum() && type.getEnumConstants().length > 0) {
            throw new IllegalArgumentException("compares " + compared.toStringAST() + ", a " + type.getName()
                    + ", with the text " + with.toStringAST() + ", which it never equals; write a constant, such as T("
                    + type.getName() + ")." + constants(type).get(0));
        }
    }

    private static List<String> constants(Class<?> type) {
        return Arrays.stream(type.getEnumConstants())
                .map(constant -> ((Enum<?>) constant).name())
                .toList();
    }

    private static SpelNode first(SpelNode node) {
        return node instanceof CompoundExpression ? node.getChild(0) : node;
    }

    /** Checks the arguments of which the gate does not ask first whether they are there. */
    private void checkArguments(SpelNode node) {
        if (node instanceof OpAnd || node instanceof OpOr || node instanceof Ternary || node instanceof Elvis) {
            return;
        }
        if (node instanceof CompoundExpression
                && node.getChild(0) instanceof VariableReference variable
                && name(variable).equals("args")
                && node.getChild(1) instanceof Indexer index) {
            checkArgument(index.getChild(0).toStringAST());
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            checkArguments(node.getChild(i));
        }
    }

    private void checkArgument(String index) {
        if (index.matches("\\d{1,5}") && Integer.parseInt(index) >= arguments) {
            throw new IllegalArgumentException("names #args[" + index + "], but the method has " + arguments
                    + (arguments == 1 ? " argument" : " arguments") + ", the first of which is #args[0]");
        }
    }

    /** The type of which every value of a node is; {@code null} if it is not certain. */
    private @Nullable Class<?> given(SpelNode node) {
        if (node instanceof VariableReference variable) {
            String name = name(variable);
            Class<?> type = types.get(name);
            return type == null || (name.equals("result") && !isOfLanguage(type)) ? null : type;
        }
        if (node instanceof CompoundExpression && node.getChild(0) instanceof VariableReference) {
            return follow(node);
        }
        return node instanceof MethodReference method ? GateRoot.typeOf(beanClass, method) : null;
    }

    private void checkMembers(SpelNode node) {
        if (node instanceof CompoundExpression && node.getChild(0) instanceof VariableReference) {
            follow(node);
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            checkMembers(node.getChild(i));
        }
    }

    /** Follows a chain such as {@code #order.customer.name}; a final class has only what it declares. */
    private @Nullable Class<?> follow(SpelNode chain) {
        String name = name((VariableReference) chain.getChild(0));
        boolean isBean = name.equals("target") || name.equals("root");
        if (isBean && beanClass == Object.class) {
            return null; // a request of an HTTP client, or whatever a retry in code is about
        }
        Class<?> type = isBean ? beanClass : types.get(name);
        for (int i = 1; i < chain.getChildCount() && type != null; i++) {
            if (isClosed(type) || (isBean && i == 1)) {
                new GateRoot(type, Set.of()).check(chain.getChild(i));
            }
            type = step(type, chain.getChild(i));
        }
        return type;
    }

    /** An optional value is read as what it holds, and a class as its static members. */
    private static boolean isClosed(Class<?> type) {
        return Modifier.isFinal(type.getModifiers())
                && !type.isPrimitive()
                && !type.isArray()
                && type != Optional.class
                && type != Class.class;
    }

    /** The type of a member that every subclass has too, and may only replace by one of a narrower type. */
    private static @Nullable Class<?> step(Class<?> type, SpelNode step) {
        Method found = null;
        if (step instanceof PropertyOrFieldReference property) {
            found = ClassUtils.getMethodIfAvailable(type, "get" + StringUtils.capitalize(property.getName()));
            if (found == null && isClosed(type)) {
                found = ClassUtils.getMethodIfAvailable(type, property.getName());
            }
        } else if (step instanceof MethodReference method && method.getChildCount() == 0) {
            found = ClassUtils.getMethodIfAvailable(type, method.getName());
        }
        return found == null || Map.class.isAssignableFrom(type) ? null : known(found::getGenericReturnType, type);
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

    private static String name(VariableReference variable) {
        return variable.toStringAST().substring(1);
    }

    /** Whether no return style, not even one of the application, gives a value of another type in its place. */
    private static boolean isOfLanguage(Class<?> returned) {
        return returned.isPrimitive() || returned.getName().startsWith("java.lang.");
    }

    private static boolean isPlain(Class<?> returned) {
        return !Future.class.isAssignableFrom(returned) && returned.getTypeParameters().length == 0;
    }
}
