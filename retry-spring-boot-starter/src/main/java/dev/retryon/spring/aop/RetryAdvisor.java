/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.aop;

import dev.retryon.spring.method.RetryMethodResolver;
import org.aopalliance.aop.Advice;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;

/**
 * Puts the advice on the retried methods of beans, within the one proxy that a bean has.
 *
 * @since 0.1.0
 */
public final class RetryAdvisor extends AbstractPointcutAdvisor {

    private static final long serialVersionUID = 1L;

    private final transient Pointcut pointcut;

    private final transient RetryInterceptor interceptor;

    /**
     * Creates the advisor.
     *
     * @param resolver knows which methods are retried
     * @param interceptor the advice
     * @param order where it stands among the advisors of a bean; lower is further out
     */
    public RetryAdvisor(RetryMethodResolver resolver, RetryInterceptor interceptor, int order) {
        this.pointcut = new RetryPointcut(resolver);
        this.interceptor = interceptor;
        setOrder(order);
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    /** Another one for each chain of advice that Spring asks for; see {@link ChainAdvice}. */
    @Override
    public Advice getAdvice() {
        return new ChainAdvice(interceptor);
    }
}
