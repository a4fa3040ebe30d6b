// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.declaration;

import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetryWarning;
import dev.retryon.spring.module.StarterLog;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.aspectj.weaver.patterns.PatternParser;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.aspectj.AspectJExpressionPointcut;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ReflectionUtils;

/** One of {@code retryon.pointcuts}: the policy for methods that an AspectJ expression selects. Thread-safe. */
public final class PointcutPolicy {

    /** An expression for all public methods does not select beans of these types, unless it names them. */
    private static final List<String> FRAMEWORKS = List.of("org.springframework.", "io.micrometer.", "dev.retryon.");

    private static final Pattern BY_BEAN_NAME = Pattern.compile("\\bbean\\s*\\(");

    private final String source;

    private final String expression;

    private final String policy;

    /** {@code null} if the expression is wrong or names a type that is not on the class path. */
    private final @Nullable AspectJExpressionPointcut pointcut;

    /** @param source the property, such as {@code retryon.pointcuts.stock} */
    public PointcutPolicy(
            String source, String expression, String policy, BeanFactory beanFactory, RetryFaults faults) {
        this.source = source;
        this.expression = expression;
        this.policy = policy;
        this.pointcut = parse(beanFactory, faults);
    }

    private @Nullable AspectJExpressionPointcut parse(BeanFactory beanFactory, RetryFaults faults) {
        String property = source + ".expression";
        if (BY_BEAN_NAME.matcher(expression).find()) {
            // Known while a bean is proxied, and unknown when its policy is looked up.
            faults.add(
                    property,
                    "is '" + expression + "', but must not select beans by name with bean(…), because policies belong"
                            + " to classes; use within(…) or execution(…)");
            return null;
        }
        AspectJExpressionPointcut parsed = new AspectJExpressionPointcut();
        parsed.setBeanFactory(beanFactory);
        parsed.setExpression(expression);
        try {
            parsed.getPointcutExpression();
            return parsed;
        } catch (RuntimeException ex) {
            String problem = String.valueOf(ex.getMessage()).lines().findFirst().orElse("");
            if (isWellFormed(expression)) {
                StarterLog.infoOfStart(property + " is '" + expression + "', which matches nothing: " + problem);
            } else {
                faults.add(property, "is '" + expression + "', but must be an AspectJ pointcut expression: " + problem);
            }
            return null;
        }
    }

    /** Returns whether AspectJ can parse an expression, whose types can be those of another application. */
    private static boolean isWellFormed(String expression) {
        try {
            new PatternParser(expression).parsePointcut();
            return true;
        } catch (RuntimeException ex) {
            return false;
        }
    }

    public String source() {
        return source;
    }

    public String policy() {
        return policy;
    }

    boolean isCandidate(Class<?> beanClass) {
        return pointcut != null && isFor(pointcut, beanClass) && AopUtils.canApply(pointcut, beanClass);
    }

    boolean matches(Class<?> beanClass, Method method) {
        return pointcut != null
                && !ReflectionUtils.isObjectMethod(method)
                && isFor(pointcut, beanClass)
                && pointcut.getMethodMatcher().matches(method, beanClass);
    }

    private boolean isFor(AspectJExpressionPointcut selecting, Class<?> beanClass) {
        return FRAMEWORKS.stream().noneMatch(own -> beanClass.getName().startsWith(own) && !expression.contains(own))
                && selecting.getClassFilter().matches(beanClass);
    }

    /** Logs that the pointcut selects no method, as a warning if the pointcut might select methods of a bean's class. */
    public void warnOfNoMethod(Set<Class<?>> beans, RetryFaults faults) {
        AspectJExpressionPointcut selecting = pointcut;
        if (selecting == null) {
            return;
        }
        String what = source + ".expression is '" + expression
                + "', which matches no method of any bean, so the policy '" + policy + "' has no effect";
        if (beans.stream().anyMatch(bean -> isFor(selecting, bean))) {
            faults.warn(RetryWarning.POINTCUT, what + "; correct the expression or remove the pointcut");
        } else {
            StarterLog.infoOfStart(what + " in this context");
        }
    }
}
