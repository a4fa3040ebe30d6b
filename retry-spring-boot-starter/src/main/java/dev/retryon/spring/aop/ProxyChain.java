/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.aop;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ReflectiveMethodInvocation;
import org.springframework.util.ReflectionUtils;

/**
 * Knows whether an advice is the last one before the target. The last one may call the target itself: that spares the
 * clone of the invocation, reflection, and the wrapping of every error in an InvocationTargetException.
 */
final class ProxyChain {

    private static final String FIELD = "interceptorsAndDynamicMethodMatchers";

    /** A protected field of Spring's, part of what it offers to subclasses; without it every call takes the long way. */
    private static final @Nullable Field CHAIN = chain();

    private ProxyChain() {}

    private static @Nullable Field chain() {
        try {
            Field field = ReflectiveMethodInvocation.class.getDeclaredField(FIELD);
            field.setAccessible(true);
            return field;
        } catch (ReflectiveOperationException | RuntimeException ex) {
            return null;
        }
    }

    /** Whether an advice is the last in the chain of an invocation, and in no other chain. */
    static boolean isLast(ChainAdvice advice, MethodInvocation invocation) {
        // A subclass may call the target in its own way.
        if (CHAIN == null || invocation.getClass() != ReflectiveMethodInvocation.class) {
            return false;
        }
        List<?> chain = (List<?>) ReflectionUtils.getField(CHAIN, invocation);
        return chain != null
                && chain.get(chain.size() - 1) == advice
                && isOfAdvisor((ProxyMethodInvocation) invocation);
    }

    /** Whether the proxy has the advisor, which makes an advice for each chain; another proxy may share one advice. */
    private static boolean isOfAdvisor(ProxyMethodInvocation invocation) {
        return invocation.getProxy() instanceof Advised proxy
                && Arrays.stream(proxy.getAdvisors()).anyMatch(RetryAdvisor.class::isInstance);
    }
}
