/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;

/**
 * A bean without the advice of {@code @Async}: a stored call has a thread of its own already, and who made it has to know how it
 * ends.
 */
final class SameThread {

    private SameThread() {}

    /** The bean, or a proxy of its target with the rest of its advice. */
    static Object of(Object bean) {
        if (!(bean instanceof Advised advised) || !isAsync(advised)) {
            return bean;
        }
        ProxyFactory factory = new ProxyFactory();
        factory.setTargetSource(advised.getTargetSource());
        factory.setInterfaces(advised.getProxiedInterfaces());
        factory.setProxyTargetClass(advised.isProxyTargetClass());
        factory.setExposeProxy(advised.isExposeProxy());
        for (Advisor advisor : advised.getAdvisors()) {
            if (!isAsync(advisor)) {
                factory.addAdvisor(advisor);
            }
        }
        return factory.getProxy(bean.getClass().getClassLoader());
    }

    /** A loop, because it is asked before each attempt of a stored call: a stream took 3 % of the worker's time. */
    private static boolean isAsync(Advised advised) {
        for (Advisor advisor : advised.getAdvisors()) {
            if (isAsync(advisor)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAsync(Advisor advisor) {
        return advisor.getAdvice() instanceof AsyncExecutionInterceptor;
    }
}
