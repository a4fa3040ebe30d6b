/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.expression;

import java.lang.reflect.Method;
import org.springframework.expression.spel.support.ReflectiveMethodResolver;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the methods that a gate calls: those of its bean at any visibility, as recovery and backoff methods may have, and
 * of everything else the public ones. It is a reflective resolver and the only one, so that Spring keeps what it found.
 */
final class BeanMethodResolver extends ReflectiveMethodResolver {

    private final Class<?> beanClass;

    BeanMethodResolver(Class<?> beanClass) {
        this.beanClass = beanClass;
    }

    @Override
    protected Method[] getMethods(Class<?> type) {
        return beanClass != Object.class && beanClass.isAssignableFrom(type)
                ? ReflectionUtils.getAllDeclaredMethods(type)
                : super.getMethods(type);
    }
}
