// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.spring;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.ClassUtils;

/**
 * Finds calls of retried methods on the same bean. Such a call bypasses the proxy and is not retried, without any
 * error. This class reads the bytecode of the beans, their superclasses, interfaces and inner classes, and executes
 * nothing.
 *
 * <pre>{@code
 * assertThat(SelfInvocations.in(context)).isEmpty();
 * }</pre>
 *
 * <p>The search finds calls on {@code this}, calls on {@code super}, calls in lambdas and inner classes, and method
 * references such as {@code this::place}. It ignores calls on another instance, such as an injected proxy of the same
 * bean, and the call of {@code super.place()} in a method that overrides {@code place}. It cannot find calls by
 * reflection.
 *
 * @since 0.1.0
 */
public final class SelfInvocations {

    private static final String ADVISOR = "retryOnAdvisor";

    private SelfInvocations() {}

    /**
     * Finds the self-invocations of retried methods in the beans of an application.
     *
     * @param context the started application context
     * @return the calls, without duplicates; empty if the context has no retried methods
     */
    public static List<SelfInvocation> in(ConfigurableApplicationContext context) {
        ConfigurableListableBeanFactory beans = context.getBeanFactory();
        Set<SelfInvocation> found = new LinkedHashSet<>();
        if (beans.containsBean(ADVISOR)) {
            Pointcut retried = beans.getBean(ADVISOR, PointcutAdvisor.class).getPointcut();
            beanClasses(beans).forEach(beanClass -> findIn(beanClass, retried, found));
        }
        return new ArrayList<>(found);
    }

    private static Set<Class<?>> beanClasses(ConfigurableListableBeanFactory beans) {
        Set<Class<?>> classes = new LinkedHashSet<>();
        for (String name : beans.getBeanDefinitionNames()) {
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
            if (type != null && !type.isInterface()) {
                classes.add(ClassUtils.getUserClass(type));
            }
        }
        return classes;
    }

    private static void findIn(Class<?> beanClass, Pointcut pointcut, Set<SelfInvocation> found) {
        if (pointcut.getClassFilter().matches(beanClass)) {
            BeanCode code = new BeanCode(
                    beanClass, method -> pointcut.getMethodMatcher().matches(method, beanClass));
            found.addAll(code.selfInvocations());
        }
    }
}
