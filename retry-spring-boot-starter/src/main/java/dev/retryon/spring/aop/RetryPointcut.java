/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.aop;

import java.lang.reflect.Method;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Matches the retried methods of beans. */
final class RetryPointcut extends StaticMethodMatcherPointcut implements ClassFilter {

    private final RetryMethodResolver resolver;

    RetryPointcut(RetryMethodResolver resolver) {
        this.resolver = resolver;
        setClassFilter(this);
    }

    @Override
    public boolean matches(Class<?> beanClass) {
        return resolver.isCandidate(beanClass);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        Class<?> beanClass = BeanClasses.userClass(targetClass, method);
        return resolver.mayBeRetried(beanClass, method)
                && resolver.isRetried(beanClass, AopUtils.getMostSpecificMethod(method, beanClass));
    }
}
