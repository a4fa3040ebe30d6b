// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.declaration;

import dev.retryon.spring.module.RetryFaults;
import java.lang.reflect.Method;
import java.util.List;
import org.springframework.aop.Pointcut;
import org.springframework.aop.framework.autoproxy.ProxyCreationContext;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Selects the retried methods of beans, by annotations and by {@code retryon.pointcuts}. Needs neither settings nor beans,
 * because beans get proxies while the application's post-processors are created. Thread-safe.
 */
public final class RetrySelection {

    private final ConfigurableListableBeanFactory beanFactory;

    private final RetryDeclarations declarations;

    private final List<PointcutPolicy> pointcuts;

    /** @param pointcuts the weakest first */
    public RetrySelection(
            List<PointcutPolicy> pointcuts, ConfigurableListableBeanFactory beanFactory, RetryFaults faults) {
        this.beanFactory = beanFactory;
        this.declarations = new RetryDeclarations(faults);
        this.pointcuts = pointcuts;
    }

    public RetryDeclarations declarations() {
        return declarations;
    }

    public List<PointcutPolicy> pointcuts() {
        return pointcuts;
    }

    /** Returns the policies for a retried method, the weakest first. */
    public List<PointcutPolicy> pointcuts(Class<?> beanClass, Method method) {
        if (pointcuts.isEmpty() || declarations.isOptedOut(beanClass, method)) {
            return List.of();
        }
        return pointcuts.stream()
                .filter(pointcut -> pointcut.matches(beanClass, method))
                .toList();
    }

    /**
     * Returns a pointcut for the methods that a proxy must retry, on the class of a bean or of its proxy. The pointcut
     * matches no method of a bean that cannot have a proxy, because the check of beans reports this bean with all other
     * faults.
     */
    public Pointcut pointcut() {
        return new RetryPointcut(
                beanClass -> isCandidate(beanClass)
                        && !BeanClasses.isUnproxyable(
                                beanClass, ProxyCreationContext.getCurrentProxiedBeanName(), beanFactory),
                this::matches);
    }

    /** Returns whether a class can have retried methods. This must be fast, because it runs for every bean. */
    public boolean isCandidate(Class<?> beanClass) {
        if (declarations.hasAny(beanClass)) {
            return true;
        }
        for (PointcutPolicy pointcut : pointcuts) {
            if (pointcut.isCandidate(beanClass)) {
                return true;
            }
        }
        return false;
    }

    /** Returns quickly for most methods, because every method of a candidate bean is checked. */
    private boolean matches(Method method, Class<?> targetClass) {
        Class<?> beanClass = BeanClasses.userClass(targetClass, method);
        return (declarations.mayBeRetried(beanClass, method) || !pointcuts.isEmpty())
                && isRetried(beanClass, AopUtils.getMostSpecificMethod(method, beanClass));
    }

    /** Returns whether a bean's method is retried. The result can also be {@code true} for a method that another method names. */
    public boolean isRetried(Class<?> beanClass, Method method) {
        if (declarations.isRetried(beanClass, method)) {
            return true;
        }
        for (PointcutPolicy pointcut : pointcuts) {
            if (pointcut.matches(beanClass, method)) {
                return !declarations.isOptedOut(beanClass, method);
            }
        }
        return false;
    }

    /** Returns whether the method itself is annotated, and not only a method that it overrides. */
    public boolean isAnnotatedItself(Method method) {
        return !declarations.on(method).isEmpty();
    }
}
