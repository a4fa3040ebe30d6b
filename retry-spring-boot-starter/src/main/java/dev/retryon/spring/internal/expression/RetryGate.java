/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.expression;

import dev.retryon.CallSubject;
import dev.retryon.RetryContext;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** A parsed gate. Thread-safe. */
public final class RetryGate {

    private final SpelExpression expression;

    private final @Nullable String @Nullable [] parameterNames;

    private final BeanFactoryResolver beans;

    private final TypeLocator classes;

    private final List<MethodResolver> methods;

    private final boolean timed;

    RetryGate(
            SpelExpression expression,
            @Nullable String @Nullable [] parameterNames,
            BeanFactoryResolver beans,
            TypeLocator classes,
            MethodResolver methods,
            boolean timed) {
        this.expression = expression;
        this.parameterNames = parameterNames;
        this.beans = beans;
        this.classes = classes;
        this.methods = List.of(methods);
        this.timed = timed;
    }

    /** Whether it asks for the elapsed time. */
    public boolean isTimed() {
        return timed;
    }

    /**
     * The gate as a predicate over failures. Its text is that of the expression. It takes the error, or {@code null} for a
     * value to retry, and the call, the root object being the target of its subject; throws if the expression fails or yields
     * something else than a boolean or {@code null}, which is no; what is known not to give a boolean, such as a void method, is
     * a fault at start-up instead.
     */
    public BiPredicate<@Nullable Throwable, RetryContext> overErrors() {
        return new Predicate<>() {

            @Override
            public boolean test(@Nullable Throwable error, RetryContext context) {
                return value(error, null, context);
            }
        };
    }

    /**
     * The gate as a predicate over returned values. Its text is that of the expression. It takes the value and the call, as
     * {@link #overErrors()} does.
     */
    public BiPredicate<@Nullable Object, RetryContext> overResults() {
        return new Predicate<>() {

            @Override
            public boolean test(@Nullable Object result, RetryContext context) {
                return value(null, result, context);
            }
        };
    }

    /**
     * The value of an expression that is about the call alone; throws if the expression fails.
     *
     * @param target what the method is called on
     * @param arguments the arguments of the call
     */
    public @Nullable Object valueOf(@Nullable Object target, @Nullable Object[] arguments) {
        return expression.getValue(variables(target, arguments));
    }

    /** {@link #valueOf} over the subject of a call. Its text is that of the expression. */
    public Function<RetryContext, @Nullable Object> asKey() {
        return new Function<>() {

            @Override
            public @Nullable Object apply(RetryContext context) {
                return expression.getValue(variables(context));
            }

            @Override
            public String toString() {
                return RetryGate.this.toString();
            }
        };
    }

    /** Has the text of the gate, which is what is reported of a gate that fails. */
    private abstract class Predicate<T> implements BiPredicate<@Nullable T, RetryContext> {

        @Override
        public String toString() {
            return RetryGate.this.toString();
        }
    }

    private boolean value(@Nullable Throwable error, @Nullable Object result, RetryContext context) {
        StandardEvaluationContext variables = variables(context);
        // After the parameters: a parameter called "error" is still available as #p0.
        variables.setVariable("error", error);
        variables.setVariable("result", result);
        variables.setVariable("attempt", context.attempt());
        variables.setVariable("maxAttempts", context.maxAttempts());
        variables.setVariable("elapsed", context.elapsed());
        Object answer = expression.getValue(variables);
        if (answer == null || answer instanceof Boolean) {
            return Boolean.TRUE.equals(answer);
        }
        throw new IllegalStateException("The gate '" + expression.getExpressionString() + "' gives a "
                + answer.getClass().getName() + ", not a boolean");
    }

    /** The variables that are known before the first attempt. */
    private StandardEvaluationContext variables(RetryContext context) {
        CallSubject subject = context.subject();
        return subject == null ? variables() : variables(subject.target(), subject.arguments());
    }

    private StandardEvaluationContext variables() {
        StandardEvaluationContext variables = new StandardEvaluationContext();
        variables.setBeanResolver(beans);
        variables.setTypeLocator(classes);
        variables.setMethodResolvers(methods);
        return variables;
    }

    private StandardEvaluationContext variables(@Nullable Object target, @Nullable Object[] arguments) {
        StandardEvaluationContext variables = variables();
        for (int i = 0; i < arguments.length; i++) {
            variables.setVariable("p" + i, arguments[i]);
            if (parameterNames != null && i < parameterNames.length) {
                variables.setVariable(parameterNames[i], arguments[i]);
            }
        }
        variables.setVariable("args", arguments);
        variables.setVariable("target", target);
        variables.setRootObject(target);
        return variables;
    }

    @Override
    public String toString() {
        return expression.getExpressionString();
    }
}
