// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.spring.internal.policy.RetriedMethod;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.OperatorNot;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.security.access.expression.method.MethodSecurityExpressionHandler;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolderStrategy;

/**
 * Finds methods whose calls Spring Security always denies on a worker, because their expression starts with a check of the
 * authentication. Methods are left out if other advice might authenticate the worker.
 */
final class MethodSecurity {

    private static final String OF_THREAD =
            "org.springframework.security.core.context.ThreadLocalSecurityContextHolderStrategy";

    /** The methods and properties of Spring Security's expressions that need the authentication. */
    private static final Set<String> ASKING = Set.of(
            "authentication",
            "principal",
            "hasAuthority",
            "hasAnyAuthority",
            "hasAllAuthorities",
            "hasRole",
            "hasAnyRole",
            "hasAllRoles",
            "hasPermission",
            "isAnonymous",
            "isAuthenticated",
            "isFullyAuthenticated",
            "isRememberMe");

    private MethodSecurity() {}

    /** Returns the {@code @PreAuthorize} that denies the calls of workers; {@code null} if workers might be authorized. */
    static @Nullable String deniesWorkers(RetriedMethod method, ConfigurableListableBeanFactory beanFactory) {
        PreAuthorize ofMethod = AnnotatedElementUtils.findMergedAnnotation(method.method(), PreAuthorize.class);
        PreAuthorize found = ofMethod != null
                ? ofMethod
                : AnnotatedElementUtils.findMergedAnnotation(method.beanClass(), PreAuthorize.class);
        if (found == null || !asks(found.value()) || !isStandard(beanFactory)) {
            return null;
        }
        String[] names = beanFactory.getBeanNamesForType(method.beanClass(), false, false);
        for (String name : names) {
            if (!(beanFactory.getSingleton(name) instanceof Advised bean) || !asksFirst(bean, method)) {
                return null;
            }
        }
        return names.length == 0 ? null : "@PreAuthorize(\"" + found.value() + "\")";
    }

    /** Whether the application customizes neither where the authentication is stored nor how expressions are evaluated. */
    private static boolean isStandard(ConfigurableListableBeanFactory beanFactory) {
        String strategy =
                SecurityContextHolder.getContextHolderStrategy().getClass().getName();
        return strategy.equals(OF_THREAD)
                && isWithout(beanFactory, SecurityContextHolderStrategy.class)
                && isWithout(beanFactory, MethodSecurityExpressionHandler.class);
    }

    private static boolean isWithout(ConfigurableListableBeanFactory beanFactory, Class<?> type) {
        return beanFactory.getBeanNamesForType(type, true, false).length == 0;
    }

    /** Whether the advice of Spring Security runs before any advice that might authenticate the worker. */
    private static boolean asksFirst(Advised bean, RetriedMethod method) {
        for (Advisor advisor : bean.getAdvisors()) {
            String advice = advisor.getAdvice().getClass().getName();
            if (advice.startsWith("org.springframework.security.") && applies(advisor, method)) {
                return true;
            }
            // The advice of the application's aspects has a class of Spring's.
            if (!advice.startsWith("org.springframework.") || advice.startsWith("org.springframework.aop.aspectj.")) {
                return false;
            }
        }
        return false;
    }

    private static boolean applies(Advisor advisor, RetriedMethod method) {
        return advisor instanceof PointcutAdvisor some
                && some.getPointcut().getMethodMatcher().matches(method.method(), method.beanClass());
    }

    /** Whether an expression starts with a check of the authentication. */
    private static boolean asks(String expression) {
        SpelNode first;
        try {
            first = new SpelExpressionParser().parseRaw(expression).getAST();
        } catch (ParseException ex) {
            return false;
        }
        while (first instanceof Operator || first instanceof OperatorNot || first instanceof CompoundExpression) {
            first = first.getChild(0);
        }
        return (first instanceof MethodReference asked && ASKING.contains(asked.getName()))
                || (first instanceof PropertyOrFieldReference read && ASKING.contains(read.getName()));
    }
}
