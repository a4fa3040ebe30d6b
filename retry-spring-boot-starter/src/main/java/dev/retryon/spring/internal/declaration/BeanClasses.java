// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.declaration;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyProcessorSupport;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;

/** Finds the classes that users wrote for beans, and whether a proxy can extend them. */
public final class BeanClasses {

    private BeanClasses() {}

    /**
     * Returns the class behind generated subclasses. If only the interfaces of the bean are known, returns the interface
     * with the method.
     */
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

    /** Returns whether a class or one of its superclasses has one of the given names. The named classes can be missing. */
    public static boolean isNamed(@Nullable Class<?> type, Collection<String> names) {
        return type != null && (names.contains(type.getName()) || isNamed(type.getSuperclass(), names));
    }

    /** Returns whether a class is a JDK proxy or a lambda, which is generated and has interfaces, but no permanent name. */
    public static boolean isNameless(Class<?> type) {
        return Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
    }

    /**
     * Returns whether Spring's auto-proxy creator would have to extend a class that cannot be extended.
     *
     * @param beanName the name of the bean, whose definition can choose the kind of proxy; {@code null} if it is unknown
     */
    public static boolean isUnproxyable(
            Class<?> beanClass, @Nullable String beanName, ConfigurableListableBeanFactory beanFactory) {
        return (Modifier.isFinal(beanClass.getModifiers()) || beanClass.isSealed())
                && !beanClass.isInterface()
                && !isNameless(beanClass)
                && isExtended(beanClass, beanName, beanFactory);
    }

    private static boolean isExtended(
            Class<?> beanClass, @Nullable String beanName, ConfigurableListableBeanFactory beanFactory) {
        Object exposed = null;
        if (beanName != null && beanFactory.containsBeanDefinition(beanName)) {
            if (AutoProxyUtils.shouldProxyTargetClass(beanFactory, beanName)) {
                return true;
            }
            exposed = beanFactory.getBeanDefinition(beanName).getAttribute(AutoProxyUtils.EXPOSED_INTERFACES_ATTRIBUTE);
        }
        if (exposed instanceof Class<?>[] interfaces && interfaces.length > 0) {
            return false;
        }
        return (exposed == null
                        && beanFactory
                                .getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME, ProxyConfig.class)
                                .isProxyTargetClass())
                || !new ProxyInterfaces().suffice(beanClass);
    }

    /** The interfaces that Spring gives to a JDK proxy. */
    private static final class ProxyInterfaces extends ProxyProcessorSupport {

        private static final long serialVersionUID = 1L;

        boolean suffice(Class<?> beanClass) {
            ProxyFactory proxy = new ProxyFactory();
            evaluateProxyInterfaces(beanClass, proxy);
            // A JDK proxy cannot implement a sealed interface, so Spring omits it.
            return Arrays.stream(proxy.getProxiedInterfaces()).anyMatch(type -> !type.isSealed());
        }
    }

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
