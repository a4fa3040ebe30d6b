// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.spring.module.RetriedMethod;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
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
import org.springframework.security.authorization.AuthorizationManagerFactory;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolderStrategy;
import org.springframework.util.ClassUtils;

/**
 * Finds methods whose calls Spring Security always denies on a worker, because their expression starts with a check of the
 * authentication. Methods are omitted if other advice might authenticate the worker. Applications that replace parts of
 * Spring Security are also omitted.
 */
final class MethodSecurity {

    private static final String OF_THREAD =
            "org.springframework.security.core.context.ThreadLocalSecurityContextHolderStrategy";

    /** The bean with the advice of {@code @EnableMethodSecurity} for {@code @PreAuthorize}. */
    private static final String ADVISOR = "preAuthorizeAuthorizationAdvisor";

    private static final String CONFIGURATION = "org.springframework.security.config.";

    private static final String POST_PROCESSOR = CONFIGURATION + "ObjectPostProcessor";

    /** With these beans, an application can authenticate a worker or authorize its calls in another way. */
    private static final List<Class<?>> CHANGING = List.of(
            SecurityContextHolderStrategy.class,
            MethodSecurityExpressionHandler.class,
            AuthorizationManagerFactory.class,
            CallEngine.class);

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

    /** Returns the {@code @PreAuthorize} that denies workers' calls, or {@code null} if workers might be authorized. */
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
            if (!(beanFactory.getSingleton(name) instanceof Advised bean)
                    || !asksFirst(bean, method, beanFactory.getSingleton(ADVISOR))) {
                return null;
            }
        }
        return names.length == 0 ? null : "@PreAuthorize(\"" + found.value() + "\")";
    }

    /** Returns whether the application neither authenticates workers nor changes how expressions are evaluated. */
    private static boolean isStandard(ConfigurableListableBeanFactory beanFactory) {
        String strategy =
                SecurityContextHolder.getContextHolderStrategy().getClass().getName();
        if (!strategy.equals(OF_THREAD)) {
            return false;
        }
        Stream<Class<?>> types = CHANGING.stream();
        if (ClassUtils.isPresent(POST_PROCESSOR, beanFactory.getBeanClassLoader())) {
            types = Stream.concat(
                    types, Stream.of(ClassUtils.resolveClassName(POST_PROCESSOR, beanFactory.getBeanClassLoader())));
        }
        return types.allMatch(type -> isWithout(beanFactory, type));
    }

    /** Returns whether a context and its parents have no bean of a type, apart from those of RetryOn and Spring Security. */
    private static boolean isWithout(ConfigurableListableBeanFactory beanFactory, Class<?> type) {
        BeanFactory parent = beanFactory.getParentBeanFactory();
        return Arrays.stream(beanFactory.getBeanNamesForType(type, true, false))
                        .allMatch(name -> isStandard(name, beanFactory))
                && (!(parent instanceof ListableBeanFactory listable)
                        || BeanFactoryUtils.beanNamesForTypeIncludingAncestors(listable, type, true, false).length
                                == 0);
    }

    private static boolean isStandard(String bean, ConfigurableListableBeanFactory beanFactory) {
        if (bean.startsWith("retryOn")) {
            return true;
        }
        return beanFactory.containsBeanDefinition(bean)
                && beanFactory.getMergedBeanDefinition(bean) instanceof AnnotatedBeanDefinition definition
                && definition.getFactoryMethodMetadata() != null
                && definition.getFactoryMethodMetadata().getDeclaringClassName().startsWith(CONFIGURATION);
    }

    /** Returns whether Spring Security's advice runs before any advice that might authenticate the worker. */
    private static boolean asksFirst(Advised bean, RetriedMethod method, @Nullable Object asking) {
        for (Advisor advisor : bean.getAdvisors()) {
            if (advisor == asking && applies(advisor, method)) {
                return true;
            }
            String advice = advisor.getAdvice().getClass().getName();
            // The advice of the application's aspects has one of Spring's classes.
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
