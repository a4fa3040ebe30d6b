/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.expression;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.NativeDetector;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.expression.ParseException;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.OperatorNot;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardTypeLocator;
import org.springframework.util.ClassUtils;

/**
 * Reads the strings of annotations: placeholders at once, gates into something to evaluate later. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RetryExpressions {

    private static final boolean REACTIVE =
            ClassUtils.isPresent("org.reactivestreams.Publisher", RetryExpressions.class.getClassLoader());

    private final ConfigurableBeanFactory beanFactory;

    private final EmbeddedValueResolver placeholders;

    private final SpelExpressionParser parser;

    private final BeanFactoryResolver beans;

    private final TypeLocator classes;

    private final ParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();

    /**
     * Creates a reader.
     *
     * @param beanFactory resolves placeholders and beans
     */
    public RetryExpressions(ConfigurableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
        this.placeholders = new EmbeddedValueResolver(beanFactory);
        this.beans = new BeanFactoryResolver(beanFactory);
        this.classes = new StandardTypeLocator(beanFactory.getBeanClassLoader());
        // A native image makes no classes while it runs.
        SpelCompilerMode mode = NativeDetector.inNativeImage() ? SpelCompilerMode.OFF : SpelCompilerMode.MIXED;
        this.parser = new SpelExpressionParser(new SpelParserConfiguration(mode, beanFactory.getBeanClassLoader()));
    }

    /**
     * Resolves <code>${…}</code> placeholders and <code>#{…}</code> expressions.
     *
     * @param text a string attribute
     * @return the text; empty if an expression yields {@code null}
     * @throws RuntimeException if a placeholder is unknown or an expression fails
     */
    public String resolve(String text) {
        if (!isResolvable(text)) {
            return text;
        }
        String resolved = placeholders.resolveStringValue(text);
        return resolved == null ? "" : resolved;
    }

    /**
     * Whether there is anything to resolve.
     *
     * @param text any text
     * @return {@code false} if it stands for itself
     */
    public boolean isResolvable(String text) {
        return text.contains("${") || text.contains("#{");
    }

    /** What a gate is about. */
    public enum Subject {
        /** What an attempt threw, {@code #error}. */
        ERROR,
        /** What an attempt returned, {@code #result}. */
        RESULT,
        /** {@code #result} too, but that may be inside of what the method returns, and so of any type. */
        HELD_RESULT
    }

    /**
     * Parses a gate and checks the variables, beans, methods and properties that it names.
     *
     * @param text SpEL
     * @param beanClass the class of the root object
     * @param method the method whose parameters it may name
     * @param subject what it is about
     * @param isShared whether it is written once for several methods: what is wrong with it is then the same sentence for
     *     each of them, without the names of one method's parameters
     * @return the gate
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    public RetryGate gate(String text, Class<?> beanClass, Method method, Subject subject, boolean isShared) {
        SpelExpression expression = parse(text);
        boolean overResult = subject != Subject.ERROR;
        if (overResult && isWithoutResult(method)) {
            throw new IllegalArgumentException(
                    "the method returns nothing to look at; write onlyIf for a gate over errors");
        }
        @Nullable String[] names = parameterNames.getParameterNames(method);
        GateVariables known = GateVariables.of(method, names, overResult, isShared);
        boolean timed;
        try {
            GateTypes.checkForm(expression.getAST(), classes);
            new GateTypes(beanClass, method, names, subject).check(expression.getAST());
            timed = check(expression.getAST(), known, new GateRoot(beanClass, known.names()), true);
        } catch (LinkageError ex) {
            // SpEL lists the methods of what it looks at too, so the gate would fail for every call.
            throw new IllegalArgumentException("looks at a class whose methods can't be listed: " + ex, ex);
        }
        return new RetryGate(expression, names, beans, classes, new BeanMethodResolver(beanClass), timed);
    }

    /**
     * Checks what can be known of a gate before it is known which methods it is for: its form, and the beans that it names.
     *
     * @param text SpEL
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    public void checkForm(String text) {
        SpelNode gate = parse(text).getAST();
        GateTypes.checkForm(gate, classes);
        Set<String> named = new TreeSet<>();
        collectBeans(gate, named);
        named.forEach(this::requireBean);
    }

    /**
     * Checks that a gate parses, which is all that can be known of one that no method of this application may have.
     *
     * @param text SpEL
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    public void requireParsable(String text) {
        parse(text);
    }

    /**
     * What a gate answers for every call, if it names nothing that depends on one.
     *
     * @param text SpEL
     * @return the answer, which is {@code false} for a gate that gives {@code null}; {@code null} if it depends on the call, or
     *     if the gate can't be evaluated
     */
    public @Nullable Boolean constantAnswer(String text) {
        try {
            SpelExpression expression = parser.parseRaw(text);
            if (!isConstant(expression.getAST())) {
                return null;
            }
            Object answer = expression.getValue();
            return answer == null ? Boolean.FALSE : answer instanceof Boolean known ? known : null;
        } catch (RuntimeException ex) {
            // The reader of the gate itself reports it, or its first evaluation does.
            return null;
        }
    }

    private static boolean isConstant(SpelNode node) {
        boolean isConstant = node instanceof Literal
                || node instanceof Operator
                || node instanceof OperatorNot
                || node instanceof Ternary
                || node instanceof Elvis;
        for (int i = 0; i < node.getChildCount() && isConstant; i++) {
            isConstant = isConstant(node.getChild(i));
        }
        return isConstant;
    }

    private void requireBean(String name) {
        if (!beanFactory.containsBean(name)) {
            throw new IllegalArgumentException("names the bean '" + name + "', which does not exist");
        }
    }

    private SpelExpression parse(String text) {
        try {
            return parser.parseRaw(text);
        } catch (ParseException ex) {
            String trimmed = text.trim();
            if (trimmed.startsWith("#{") && trimmed.endsWith("}")) {
                throw new IllegalArgumentException(
                        "a gate is written without #{…}: '"
                                + trimmed.substring(2, trimmed.length() - 1).trim() + "'",
                        ex);
            }
            throw new IllegalArgumentException("does not parse: " + ex.getSimpleMessage() + position(ex), ex);
        }
    }

    /** Whether a method returns nothing, at once or later. */
    private static boolean isWithoutResult(Method method) {
        Class<?> returned = KotlinDetector.isSuspendingFunction(method)
                ? new MethodParameter(method, -1).getParameterType()
                : method.getReturnType();
        return returned == void.class
                || returned == Void.class
                || (isLater(returned)
                        && ResolvableType.forMethodReturnType(method)
                                        .getGeneric()
                                        .toClass()
                                == Void.class);
    }

    private static boolean isLater(Class<?> returned) {
        return Future.class.isAssignableFrom(returned)
                || CompletionStage.class.isAssignableFrom(returned)
                || (REACTIVE && ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned) != null);
    }

    /**
     * The beans that a gate names, whether they exist or not.
     *
     * @param text SpEL
     * @return their names; none if the text does not parse
     */
    public Set<String> beansIn(String text) {
        Set<String> names = new TreeSet<>();
        try {
            collectBeans(parser.parseRaw(text).getAST(), names);
        } catch (ParseException ex) {
            // The reader of the gate itself reports it.
        }
        return names;
    }

    private static void collectBeans(SpelNode node, Set<String> names) {
        if (node instanceof BeanReference) {
            names.add(name(node));
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            collectBeans(node.getChild(i), names);
        }
    }

    private static String name(SpelNode bean) {
        return bean.toStringAST().replaceAll("[@&'\"]", "");
    }

    private static String position(ParseException ex) {
        return ex.getPosition() < 0 ? "" : " (at character " + (ex.getPosition() + 1) + ")";
    }

    /**
     * Checks a node and those below; answers whether the elapsed time is wanted.
     *
     * @param onRoot whether names without a qualifier are those of the root object here
     */
    private boolean check(SpelNode node, GateVariables known, GateRoot root, boolean onRoot) {
        boolean timed = false;
        if (node instanceof VariableReference) {
            String variable = node.toStringAST().substring(1);
            known.require(variable);
            timed = variable.equals("elapsed");
        } else if (node instanceof FunctionReference) {
            throw new IllegalArgumentException("calls the function " + node.toStringAST()
                    + ", but there are none; a method of the bean is called without '#'");
        } else if (node instanceof BeanReference) {
            requireBean(name(node));
        } else if (onRoot) {
            root.check(node);
        }
        boolean scoped = node instanceof Selection
                || node instanceof Projection
                || node instanceof Indexer
                || node instanceof InlineMap;
        for (int i = 0; i < node.getChildCount(); i++) {
            // In a.b(c) only a and c are looked for on the root.
            boolean qualified = node instanceof CompoundExpression && i > 0;
            SpelNode child = node.getChild(i);
            if (qualified && child instanceof MethodReference) {
                for (int argument = 0; argument < child.getChildCount(); argument++) {
                    timed |= check(child.getChild(argument), known, root, onRoot && !scoped);
                }
            } else {
                timed |= check(child, known, root, onRoot && !scoped && !qualified);
            }
        }
        return timed;
    }
}
