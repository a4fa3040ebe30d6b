// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.TypeVariable;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.KotlinDetector;
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
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpAnd;
import org.springframework.expression.spel.ast.OpEQ;
import org.springframework.expression.spel.ast.OpNE;
import org.springframework.expression.spel.ast.OpOr;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.OperatorNot;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/** Follows the types in the gate of a method as far as they are certain. */
final class GateTypes {

    /** The types of variables by their names without the number sign. Uncertain types are missing. */
    private final Map<String, Class<?>> types = new HashMap<>();

    private final Class<?> beanClass;

    private final int arguments;

    private final TypeLocator classes;

    /** @param overResult whether the gate is about a returned value, {@code #result} */
    GateTypes(Class<?> beanClass, Method method, boolean overResult, TypeLocator classes) {
        this.beanClass = beanClass;
        this.classes = classes;
        this.arguments = method.getParameterCount() - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0);
        @Nullable String[] names = new DefaultParameterNameDiscoverer().getParameterNames(method);
        for (int i = 0; i < arguments; i++) {
            Class<?> type = known(ResolvableType.forMethodParameter(method, i, beanClass));
            put("p" + i, type);
            put(names == null ? null : names[i], type);
        }
        // Variables of RetryOn replace parameters of the same name.
        Set.of("error", "result", "args").forEach(types.keySet()::remove);
        put("attempt", Integer.class);
        put("maxAttempts", Integer.class);
        put("elapsed", Duration.class);
        put("target", beanClass);
        put("root", beanClass);
        Class<?> returned = method.getReturnType();
        // A ReturnStyle can extract the value from any other object.
        if (overResult && (returned.isPrimitive() || returned.getName().startsWith("java.lang."))) {
            put("result", returned);
        } else if (!overResult) {
            put("error", Throwable.class);
        }
    }

    private void put(@Nullable String name, @Nullable Class<?> type) {
        if (name != null && type == null) {
            types.remove(name);
        } else if (name != null) {
            types.put(name, type);
        }
    }

    /** Checks a gate or the key of a budget. Throws an exception whose message is a sentence that describes the problem. */
    void check(SpelNode gate, boolean isGate) {
        if (!(gate instanceof BooleanLiteral) && isConstant(gate)) {
            throw new IllegalArgumentException(
                    "it does not depend on the call; a variable inside quotes is plain text");
        }
        checkNodes(gate, true);
        Class<?> given = given(gate);
        if (isGate
                && given != null
                && !ClassUtils.resolvePrimitiveIfNecessary(given).isAssignableFrom(Boolean.class)) {
            throw new IllegalArgumentException(
                    "returns " + given.getTypeName() + " (" + gate.toStringAST() + "), which is not a boolean");
        }
        checkArguments(gate);
    }

    private static boolean isConstant(SpelNode node) {
        return (node instanceof Literal
                        || node instanceof Operator
                        || node instanceof OperatorNot
                        || node instanceof Ternary
                        || node instanceof Elvis)
                && children(node).allMatch(GateTypes::isConstant);
    }

    /** Checks a node and its descendants. Names without a qualifier belong to the bean or to an element of a collection. */
    private void checkNodes(SpelNode node, boolean onBean) {
        if (node instanceof Assign) {
            throw new IllegalArgumentException("it assigns a value; to compare values, use ==");
        }
        if (node instanceof ConstructorReference || (node instanceof TypeReference && !isArray(node))) {
            find(node.getChild(0).toStringAST());
        } else if (node instanceof OpEQ || node instanceof OpNE) {
            checkComparison(node.getChild(0), node.getChild(1));
            checkComparison(node.getChild(1), node.getChild(0));
        } else if (onBean) {
            checkMember(beanClass, node);
        }
        boolean isOnBeanBelow = onBean
                && !(node instanceof Selection
                        || node instanceof Projection
                        || node instanceof Indexer
                        || node instanceof InlineMap);
        if (!(node instanceof CompoundExpression)) {
            children(node).forEach(child -> checkNodes(child, isOnBeanBelow));
            return;
        }
        checkStatic(node.getChild(0), node.getChild(1));
        given(node);
        checkNodes(node.getChild(0), onBean);
        // In a.b(c), b is a member of a, and c is looked up in the bean.
        children(node)
                .skip(1)
                .forEach(member -> children(member)
                        .forEach(argument -> checkNodes(argument, onBean && member instanceof MethodReference)));
    }

    private void checkStatic(SpelNode node, SpelNode member) {
        Class<?> type = node instanceof TypeReference && !isArray(node)
                ? find(node.getChild(0).toStringAST())
                : null;
        if (type != null && member instanceof MethodReference called) {
            if (Stream.concat(
                            methods(type, called).filter(method -> Modifier.isStatic(method.getModifiers())),
                            methods(Class.class, called))
                    .findAny()
                    .isEmpty()) {
                throw new IllegalArgumentException(
                        calls(called) + ", but " + type.getName() + " has no such static method");
            }
        } else if (type != null
                && type.isEnum()
                && member instanceof PropertyOrFieldReference constant
                && constant.getName().matches("[\\p{Lu}\\d_]+")
                && Arrays.stream(type.getFields())
                        .noneMatch(field -> field.getName().equals(constant.getName()))) {
            throw new IllegalArgumentException("names the constant '" + constant.getName() + "', which is not one of "
                    + constants(type) + " in " + type.getName());
        }
    }

    private static boolean isArray(SpelNode type) {
        return type.toStringAST().endsWith("[])");
    }

    /** Finds a class, or {@code null} for a primitive type. */
    private @Nullable Class<?> find(String name) {
        if (name.indexOf('.') < 0 && !Character.isUpperCase(name.charAt(0))) {
            return null;
        }
        try {
            return classes.findType(name);
        } catch (EvaluationException ex) {
            throw new IllegalArgumentException("names the class '" + name + "', which is not on the class path", ex);
        }
    }

    /** Rejects a comparison of an enum with a text, because the two are never equal. */
    private void checkComparison(SpelNode compared, SpelNode with) {
        Class<?> type = with instanceof StringLiteral ? given(compared) : null;
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

    /** Checks the arguments whose existence the gate does not check first. */
    private void checkArguments(SpelNode node) {
        if (node instanceof OpAnd || node instanceof OpOr || node instanceof Ternary || node instanceof Elvis) {
            return;
        }
        if (node instanceof CompoundExpression
                && node.getChild(0).toStringAST().equals("#args")
                && node.getChild(1) instanceof Indexer index) {
            String argument = index.getChild(0).toStringAST();
            if (argument.matches("\\d{1,5}") && Integer.parseInt(argument) >= arguments) {
                throw new IllegalArgumentException("names #args[" + argument
                        + "], but the index starts at 0, and the number of arguments is " + arguments);
            }
        }
        children(node).forEach(this::checkArguments);
    }

    /** Returns a node's type, or {@code null} if uncertain. Checks the members in a chain such as {@code #order.total}. */
    private @Nullable Class<?> given(SpelNode node) {
        if (node instanceof VariableReference variable) {
            return types.get(variable.toStringAST().substring(1));
        }
        if (node instanceof MethodReference called) {
            List<Class<?>> returned = methods(beanClass, called)
                    .<Class<?>>map(Method::getReturnType)
                    .distinct()
                    .toList();
            return returned.size() == 1 ? returned.get(0) : null;
        }
        if (!(node instanceof CompoundExpression) || !(node.getChild(0) instanceof VariableReference)) {
            return null;
        }
        String first = node.getChild(0).toStringAST();
        boolean isBean = first.equals("#target") || first.equals("#root");
        Class<?> type = given(node.getChild(0));
        for (int i = 1; i < node.getChildCount() && type != null; i++) {
            if ((isBean && i == 1) || isClosed(type)) {
                checkMember(type, node.getChild(i));
            }
            type = step(type, node.getChild(i));
        }
        return type;
    }

    /** Returns whether objects have no more members than the class declares. An {@code Optional} is read as its value. */
    private static boolean isClosed(Class<?> type) {
        return Modifier.isFinal(type.getModifiers())
                && !type.isPrimitive()
                && !type.isArray()
                && type != Optional.class
                && type != Class.class;
    }

    /** Returns a member's type, which a subclass can replace only with a narrower one. */
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
        return found == null || Map.class.isAssignableFrom(type)
                ? null
                : known(ResolvableType.forMethodReturnType(found, type));
    }

    /** Returns the class of a declared type, or {@code null} for a type variable, whose actual type might have more members. */
    private static @Nullable Class<?> known(ResolvableType declared) {
        return declared.getType() instanceof TypeVariable ? null : declared.resolve();
    }

    private static void checkMember(Class<?> type, SpelNode member) {
        if (type == Object.class || type.isInterface() || Map.class.isAssignableFrom(type)) {
            return;
        }
        if (member instanceof MethodReference called
                && methods(type, called).findAny().isEmpty()) {
            throw new IllegalArgumentException(calls(called) + ", but " + type.getName() + " has no such method");
        }
        if (member instanceof PropertyOrFieldReference property && !hasProperty(type, property.getName())) {
            throw new IllegalArgumentException("names the property '" + property.getName()
                    + "', which is not a public property of " + type.getName());
        }
    }

    private static boolean hasProperty(Class<?> type, String name) {
        String capitalized = StringUtils.capitalize(name);
        List<String> getters = List.of("get" + capitalized, "is" + capitalized, "get" + name, "is" + name, name);
        return Arrays.stream(type.getMethods())
                        .anyMatch(method -> method.getParameterCount() == 0 && getters.contains(method.getName()))
                || Arrays.stream(type.getFields())
                        .anyMatch(field -> field.getName().equals(name));
    }

    private static Stream<Method> methods(Class<?> type, MethodReference called) {
        int given = called.getChildCount();
        return Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type))
                .filter(method -> method.getName().equals(called.getName())
                        && (method.isVarArgs()
                                ? given >= method.getParameterCount() - 1
                                : given == method.getParameterCount()));
    }

    private static String calls(MethodReference called) {
        int given = called.getChildCount();
        return "calls " + called.getName() + " with " + given + (given == 1 ? " argument" : " arguments");
    }

    private static Stream<SpelNode> children(SpelNode node) {
        return IntStream.range(0, node.getChildCount()).mapToObj(node::getChild);
    }
}
