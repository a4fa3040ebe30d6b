// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import java.util.Arrays;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ReflectiveMethodInvocation;

/**
 * The advice in one chain. Spring keeps a chain for each method of a proxy, and creates new chains when the proxy's advice
 * changes. The result of the first call therefore applies to all calls through the chain, which need no look-up. If no other
 * advice can follow, these calls run the target directly, which saves the clone of the invocation and its reflection.
 */
final class ChainAdvice implements MethodInterceptor {

    private final RetryInterceptor interceptor;

    /** Written without a lock: the plan is immutable, and two threads that prepare it at the same time get equal plans. */
    private @Nullable RetryPlan plan;

    ChainAdvice(RetryInterceptor interceptor) {
        this.interceptor = interceptor;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        RetryPlan known = plan;
        if (known == null) {
            known = interceptor.prepare(invocation, isLast(invocation));
            plan = known;
        }
        // A different target can have a different class.
        return known.fits(invocation) ? interceptor.call(invocation, known) : interceptor.invoke(invocation);
    }

    /**
     * Returns whether the retries are the last advice of the proxy, and this advice is in no other chain. A chain has
     * the order of the proxy's advisors, so nothing can follow in that case, whichever advisors apply to the method.
     */
    private boolean isLast(MethodInvocation invocation) {
        // A subclass can call the target in its own way.
        if (invocation.getClass() != ReflectiveMethodInvocation.class
                || !(((ProxyMethodInvocation) invocation).getProxy() instanceof Advised proxy)) {
            return false;
        }
        Advisor[] advisors = proxy.getAdvisors();
        return advisors.length > 0
                && advisors[advisors.length - 1] instanceof RetryAdvisor
                && Arrays.stream(advisors).filter(interceptor::isOf).count() == 1;
    }

    RetryInterceptor interceptor() {
        return interceptor;
    }
}
