/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.declaration;

import java.lang.reflect.Modifier;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;

/** Finds classes that no proxy can extend. */
public final class FinalClasses {

    private final ConfigurableListableBeanFactory beanFactory;

    public FinalClasses(ConfigurableListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    /** Whether a proxy of a bean of this class would have to be a subclass and can't be one. */
    public boolean contains(Class<?> beanClass) {
        return (Modifier.isFinal(beanClass.getModifiers()) || beanClass.isSealed())
                && !BeanClasses.isNameless(beanClass)
                && (isSubclassRequired() || ClassUtils.getAllInterfacesForClass(beanClass).length == 0);
    }

    private boolean isSubclassRequired() {
        return isSubclassRequired(AutoProxyUtils.DEFAULT_PROXY_CONFIG_BEAN_NAME)
                || isSubclassRequired(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME);
    }

    private boolean isSubclassRequired(String name) {
        return beanFactory.containsBeanDefinition(name)
                && Boolean.TRUE.equals(
                        beanFactory.getBeanDefinition(name).getPropertyValues().get("proxyTargetClass"));
    }

    /** A sentence that says what is wrong and what would be right. */
    public static String explain(Class<?> beanClass) {
        if (KotlinDetector.isKotlinType(beanClass)) {
            return "the class is final, so no proxy can retry its methods; apply the Kotlin compiler plugin 'spring', or"
                    + " declare the class and its methods open";
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
