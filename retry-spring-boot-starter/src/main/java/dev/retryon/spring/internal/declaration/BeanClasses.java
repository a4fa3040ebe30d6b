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

    /** Whether a class or one of its superclasses has one of the names. The named classes may be missing. */
    public static boolean isNamed(@Nullable Class<?> type, Collection<String> names) {
        return type != null && (names.contains(type.getName()) || isNamed(type.getSuperclass(), names));
    }

    /** Whether a class is one of a JDK proxy or a lambda: generated, with interfaces but without a name that lasts. */
    public static boolean isNameless(Class<?> type) {
        return Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
    }

    /**
     * Whether no proxy of a bean is possible: Spring would extend its class, which can't be extended. Decides as Spring's
     * auto-proxy creator does.
     *
     * @param beanName the name of the bean, whose definition can choose the kind of proxy; {@code null} if it is not known
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
            // A JDK proxy cannot implement a sealed interface, so Spring leaves it out.
            return Arrays.stream(proxy.getProxiedInterfaces()).anyMatch(type -> !type.isSealed());
        }
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
