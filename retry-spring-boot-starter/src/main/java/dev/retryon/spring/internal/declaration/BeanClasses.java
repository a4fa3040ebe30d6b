/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.declaration;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;

/** The classes that users wrote for beans, and whether a proxy can extend them. */
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

    /** Whether a proxy of a bean of this class would have to be a subclass and can't be one. */
    public static boolean isUnproxyable(Class<?> beanClass, ConfigurableListableBeanFactory beanFactory) {
        return (Modifier.isFinal(beanClass.getModifiers()) || beanClass.isSealed())
                && !isNameless(beanClass)
                && (ClassUtils.getAllInterfacesForClass(beanClass).length == 0
                        || isSubclassRequired(AutoProxyUtils.DEFAULT_PROXY_CONFIG_BEAN_NAME, beanFactory)
                        || isSubclassRequired(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME, beanFactory));
    }

    private static boolean isSubclassRequired(String name, ConfigurableListableBeanFactory beanFactory) {
        return beanFactory.containsBeanDefinition(name)
                && Boolean.TRUE.equals(
                        beanFactory.getBeanDefinition(name).getPropertyValues().get("proxyTargetClass"));
    }

    /** Explains why no proxy can extend a class, and how to fix it. */
    public static String explainUnproxyable(Class<?> beanClass) {
        if (KotlinDetector.isKotlinType(beanClass)) {
            return "the class is final, so no proxy can retry its methods; apply the Kotlin compiler plugin 'spring',"
                    + " or declare the class and its methods open";
        }
        String what = "the class is final";
        String way = "remove 'final'";
        if (beanClass.isRecord()) {
            what = "the class is a record, which is final";
            way = "make it a class that is not final";
        } else if (beanClass.isSealed()) {
            what = "the class is sealed";
            way = "remove 'sealed'";
        }
        return what + ", so no proxy can retry its methods; " + way
                + ", or set spring.aop.proxy-target-class=false and use the bean through an interface that declares"
                + " the methods";
    }
}
