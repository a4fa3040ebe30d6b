/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;

/** Knows the methods that Spring calls when it makes or destroys a bean, which it does without the bean's proxy. */
final class LifecycleCallbacks {

    // By their names: the annotations are an optional dependency of Spring Framework.
    private static final List<String> ANNOTATIONS =
            List.of("jakarta.annotation.PostConstruct", "jakarta.annotation.PreDestroy");

    private static final Map<String, Class<?>> INTERFACES =
            Map.of("afterPropertiesSet", InitializingBean.class, "destroy", DisposableBean.class);

    private LifecycleCallbacks() {}

    /**
     * What makes a method a callback; {@code null} if it is none.
     *
     * @param definition that of the bean, {@code null} if it has none
     */
    static @Nullable String of(Method method, @Nullable BeanDefinition definition) {
        if (method.getParameterCount() > 0) {
            return null;
        }
        MergedAnnotations annotations = MergedAnnotations.from(method);
        for (String annotation : ANNOTATIONS) {
            if (annotations.isPresent(annotation)) {
                return "@" + ClassUtils.getShortName(annotation);
            }
        }
        String name = method.getName();
        Class<?> callback = INTERFACES.get(name);
        if (callback != null && callback.isAssignableFrom(method.getDeclaringClass())) {
            return callback.getSimpleName();
        }
        if (definition == null) {
            return null;
        }
        if (name.equals(definition.getInitMethodName())) {
            return "initMethod";
        }
        return name.equals(definition.getDestroyMethodName()) || isInferred(method, definition)
                ? "destroyMethod"
                : null;
    }

    /** Whether Spring destroys a bean by a method that nobody named: {@code close}, or {@code shutdown} without that. */
    private static boolean isInferred(Method method, BeanDefinition definition) {
        Class<?> type = method.getDeclaringClass();
        String named = definition.getDestroyMethodName();
        boolean isAsked = AbstractBeanDefinition.INFER_METHOD.equals(named);
        if (!(isAsked || (named == null && AutoCloseable.class.isAssignableFrom(type)))
                || !definition.isSingleton()
                || !Modifier.isPublic(method.getModifiers())
                || DisposableBean.class.isAssignableFrom(type)) {
            return false;
        }
        return method.getName().equals("close")
                || (isAsked && method.getName().equals("shutdown") && !ClassUtils.hasMethod(type, "close"));
    }
}
