// SPDX-License-Identifier: Apache-2.0
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

/**
 * A parsed gate: a predicate over an attempt's error, which is {@code null} for a value to retry, and the call, whose target
 * is the root object. The predicate throws an exception if the expression fails or yields neither a boolean nor
 * {@code null}, which means no. The text of the gate is reported if it fails. Thread-safe.
 */
public final class RetryGate implements BiPredicate<@Nullable Throwable, RetryContext> {

    private final SpelExpression expression;

    private final @Nullable String @Nullable [] parameterNames;

    private final Class<?> beanClass;

    private final BeanFactoryResolver beans;

    private final TypeLocator classes;

    private final List<MethodResolver> methods;

    RetryGate(
            SpelExpression expression,
            @Nullable String @Nullable [] parameterNames,
            Class<?> beanClass,
            BeanFactoryResolver beans,
            TypeLocator classes) {
        this.expression = expression;
        this.parameterNames = parameterNames;
        this.beanClass = beanClass;
        this.beans = beans;
        this.classes = classes;
        this.methods = List.of(new BeanMethodResolver(beanClass));
    }

    public boolean isTimed() {
        return GateCheck.isTimed(expression.getAST());
    }

    @Override
    public boolean test(@Nullable Throwable error, RetryContext context) {
        return value(error, null, context);
    }

    public BiPredicate<@Nullable Object, RetryContext> overResults() {
        return new BiPredicate<>() {

            @Override
            public boolean test(@Nullable Object result, RetryContext context) {
                return value(null, result, context);
            }

            @Override
            public String toString() {
                return RetryGate.this.toString();
            }
        };
    }

    /** Evaluates an expression that uses only the call. Throws an exception if the evaluation fails. */
    public @Nullable Object valueOf(@Nullable Object target, @Nullable Object[] arguments) {
        return evaluate(variables(target, arguments));
    }

    /** Returns a function that evaluates {@link #valueOf} with the subject of a call. */
    public Function<RetryContext, @Nullable Object> asKey() {
        return new Function<>() {

            @Override
            public @Nullable Object apply(RetryContext context) {
                return evaluate(variables(context));
            }

            @Override
            public String toString() {
                return RetryGate.this.toString();
            }
        };
    }

    private boolean value(@Nullable Throwable error, @Nullable Object result, RetryContext context) {
        StandardEvaluationContext variables = variables(context);
        // After the parameters: a parameter with the name "error" is still available as #p0.
        variables.setVariable("error", error);
        variables.setVariable("result", result);
        variables.setVariable("attempt", context.attempt());
        variables.setVariable("maxAttempts", context.maxAttempts());
        variables.setVariable("elapsed", context.elapsed());
        Object answer = evaluate(variables);
        if (answer == null || answer instanceof Boolean) {
            return Boolean.TRUE.equals(answer);
        }
        throw new IllegalStateException("The gate '" + expression.getExpressionString() + "' returns a "
                + answer.getClass().getName() + ", not a boolean");
    }

    private @Nullable Object evaluate(StandardEvaluationContext variables) {
        return DecisionScope.<@Nullable Object>during(
                variables.getRootObject().getValue(), beanClass, () -> expression.getValue(variables));
    }

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
