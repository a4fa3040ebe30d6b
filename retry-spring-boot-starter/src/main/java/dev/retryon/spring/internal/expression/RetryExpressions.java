// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.expression;

import dev.retryon.spring.internal.expression.GateVariables.Subject;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.NativeDetector;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.ResolvableType;
import org.springframework.expression.ParseException;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardTypeLocator;
import org.springframework.util.ReflectionUtils;

/** Resolves the placeholders of annotations, and parses gates. Thread-safe. */
public final class RetryExpressions {

    private final ConfigurableBeanFactory beanFactory;

    private final EmbeddedValueResolver placeholders;

    private final SpelExpressionParser parser;

    private final BeanFactoryResolver beans;

    private final TypeLocator classes;

    private final ParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();

    public RetryExpressions(ConfigurableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
        this.placeholders = new EmbeddedValueResolver(beanFactory);
        this.beans = new BeanFactoryResolver(beanFactory);
        this.classes = new StandardTypeLocator(beanFactory.getBeanClassLoader());
        // A native image cannot define classes at run time.
        SpelCompilerMode mode = NativeDetector.inNativeImage() ? SpelCompilerMode.OFF : SpelCompilerMode.MIXED;
        this.parser = new SpelExpressionParser(new SpelParserConfiguration(mode, beanFactory.getBeanClassLoader()));
    }

    /**
     * Resolves <code>${…}</code> placeholders and <code>#{…}</code> expressions. Returns an empty text if an expression
     * yields {@code null}. Throws RuntimeException if a placeholder is unknown or an expression fails.
     */
    public String resolve(String text) {
        if (!isResolvable(text)) {
            return text;
        }
        String resolved = placeholders.resolveStringValue(text);
        return resolved == null ? "" : resolved;
    }

    public boolean isResolvable(String text) {
        return text.contains("${") || text.contains("#{");
    }

    /**
     * Parses a gate and checks its variables and beans. Members are looked up at run time, see {@link #checkMethods}. The faults
     * of a shared gate are the same for each method. Throws IllegalArgumentException with a sentence about the fault.
     */
    public RetryGate gate(String text, Class<?> beanClass, Method method, boolean overResult, boolean isShared) {
        if (overResult && isWithoutResult(method)) {
            throw new IllegalArgumentException("the method returns no value to check; use onlyIf to check errors");
        }
        Subject subject = overResult ? Subject.RESULT : Subject.ERROR;
        return expression(text, beanClass, method, subject, isShared);
    }

    /** Parses an expression over a call's arguments, and checks the expression as {@link #gate} does. */
    public RetryGate key(String text, Class<?> beanClass, Method method, boolean isShared) {
        return expression(text, beanClass, method, Subject.CALL, isShared);
    }

    private RetryGate expression(String text, Class<?> beanClass, Method method, Subject subject, boolean isShared) {
        SpelExpression expression = parse(text);
        @Nullable String[] names = parameterNames.getParameterNames(method);
        GateVariables known = GateVariables.of(method, names, subject, isShared);
        GateCheck.check(expression.getAST(), known, beanFactory);
        return new RetryGate(expression, names, beanClass, beans, classes);
    }

    /**
     * Checks the methods of the target that an expression calls. The class must be the class of an existing object,
     * because a bean that is not created yet can be of a subclass of its declared type.
     */
    public void checkMethods(String text, Class<?> targetClass) {
        Set<String> methods = Arrays.stream(ReflectionUtils.getAllDeclaredMethods(targetClass))
                .map(Method::getName)
                .collect(Collectors.toSet());
        GateCheck.checkMethods(parse(text).getAST(), methods, targetClass);
    }

    /** Checks the parts of an expression that are the same for all methods: the syntax, and the beans that it names. */
    public void checkForm(String text) {
        GateCheck.check(parse(text).getAST(), null, beanFactory);
    }

    /** Checks only that a gate parses, because no method of this application uses it. */
    public String requireParsable(String text) {
        return parse(text).getExpressionString();
    }

    private SpelExpression parse(String text) {
        try {
            return parser.parseRaw(text);
        } catch (ParseException ex) {
            String trimmed = text.trim();
            if (trimmed.startsWith("#{") && trimmed.endsWith("}")) {
                throw new IllegalArgumentException(
                        "must be written without #{…}: '"
                                + trimmed.substring(2, trimmed.length() - 1).trim() + "'",
                        ex);
            }
            throw new IllegalArgumentException("does not parse: " + ex.getSimpleMessage() + position(ex), ex);
        }
    }

    private static boolean isWithoutResult(Method method) {
        Class<?> returned = DeclaredSignature.returnType(method, method.getDeclaringClass());
        return returned == void.class
                || returned == Void.class
                || (DeclaredSignature.completesLater(returned)
                        && ResolvableType.forMethodReturnType(method)
                                        .getGeneric()
                                        .toClass()
                                == Void.class);
    }

    /** Returns the beans that a gate names, whether they exist or not, or an empty set if the gate does not parse. */
    public Set<String> beansIn(String text) {
        try {
            return GateCheck.beans(parser.parseRaw(text).getAST());
        } catch (ParseException ex) {
            return Set.of(); // reported where the gate is parsed
        }
    }

    private static String position(ParseException ex) {
        return ex.getPosition() < 0 ? "" : " (at character " + (ex.getPosition() + 1) + ")";
    }
}
