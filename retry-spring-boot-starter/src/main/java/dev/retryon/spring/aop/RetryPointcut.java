/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.aop;

import dev.retryon.spring.method.RetryMatcher;
import dev.retryon.spring.method.RetryMethodResolver;
import java.lang.reflect.Method;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Matches the retried methods of beans. */
final class RetryPointcut extends StaticMethodMatcherPointcut implements ClassFilter, RetryMatcher {

    private final RetryMethodResolver resolver;

    RetryPointcut(RetryMethodResolver resolver) {
        this.resolver = resolver;
        setClassFilter(this);
    }

    @Override
    public boolean matches(Class<?> beanClass) {
        return resolver.isProxyable(beanClass);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return resolver.matches(method, targetClass);
    }
}
