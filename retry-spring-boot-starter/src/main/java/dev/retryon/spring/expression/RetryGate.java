/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.expression;

import dev.retryon.CallSubject;
import dev.retryon.RetryContext;
import dev.retryon.spring.settings.RuntimeFaults;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * A parsed gate. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RetryGate {

    private final SpelExpression expression;

    private final @Nullable String @Nullable [] parameterNames;

    private final BeanFactoryResolver beans;

    private final List<MethodResolver> methods;

    private final boolean timed;

    private final RuntimeFaults faults;

    RetryGate(
            SpelExpression expression,
            @Nullable String @Nullable [] parameterNames,
            BeanFactoryResolver beans,
            MethodResolver methods,
            boolean timed,
            RuntimeFaults faults) {
        this.expression = expression;
        this.parameterNames = parameterNames;
        this.beans = beans;
        this.methods = List.of(methods);
        this.timed = timed;
        this.faults = faults;
    }

    /**
     * Whether it asks for the elapsed time.
     *
     * @return {@code true} if {@code #elapsed} is in it
     */
    public boolean isTimed() {
        return timed;
    }

    /**
     * Evaluates the gate over a failure.
     *
     * @param error the error, or {@code null} for a value to retry
     * @param context the call; the root object is the target of its subject
     * @return what the expression says; {@code null} is no
     * @throws RuntimeException if the expression fails or yields something else
     */
    public boolean test(@Nullable Throwable error, RetryContext context) {
        return evaluate(error, null, context);
    }

    /**
     * Evaluates the gate over a returned value.
     *
     * @param result the value
     * @param context the call
     * @return what the expression says; {@code null} is no
     * @throws RuntimeException if the expression fails or yields something else
     */
    public boolean testResult(@Nullable Object result, RetryContext context) {
        return evaluate(null, result, context);
    }

    private boolean evaluate(@Nullable Throwable error, @Nullable Object result, RetryContext context) {
        try {
            return value(error, result, context);
        } catch (RuntimeException | Error ex) {
            faults.report(
                    RuntimeFaults.Kind.GATE,
                    context.name(),
                    "the gate '" + expression.getExpressionString() + "' failed, so the call is not retried",
                    ex);
            throw ex;
        }
    }

    private boolean value(@Nullable Throwable error, @Nullable Object result, RetryContext context) {
        StandardEvaluationContext variables = new StandardEvaluationContext();
        variables.setBeanResolver(beans);
        variables.setMethodResolvers(methods);
        CallSubject subject = context.subject();
        if (subject != null) {
            Object[] arguments = subject.arguments();
            for (int i = 0; i < arguments.length; i++) {
                variables.setVariable("p" + i, arguments[i]);
                if (parameterNames != null && i < parameterNames.length) {
                    variables.setVariable(parameterNames[i], arguments[i]);
                }
            }
            variables.setVariable("args", arguments);
            variables.setVariable("target", subject.target());
            variables.setRootObject(subject.target());
        }
        // After the parameters: a parameter called "error" is still to be had as #p0.
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

    @Override
    public String toString() {
        return expression.getExpressionString();
    }
}
