/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.declaration;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.springframework.util.ClassUtils;

/** Finds the class that users wrote for a bean. */
public final class BeanClasses {

    private BeanClasses() {}

    /** The class behind generated subclasses; for a bean that is only known by interfaces, the one with the method. */
    public static Class<?> userClass(Class<?> type, Method method) {
        if (!isNameless(type)) {
            return ClassUtils.getUserClass(type);
        }
        for (Class<?> candidate : type.getInterfaces()) {
            if (method.getDeclaringClass().isAssignableFrom(candidate)) {
                return candidate;
            }
        }
        return method.getDeclaringClass();
    }

    /** Whether a class is one of a JDK proxy or a lambda: generated, with interfaces but without a name that lasts. */
    public static boolean isNameless(Class<?> type) {
        return Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
    }
}
