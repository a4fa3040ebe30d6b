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
 * changes. So the result of the first call applies to all calls of the chain: they look up nothing. If no other advice can
 * follow, they call the target themselves, which saves the clone of the invocation and its reflection.
 */
final class ChainAdvice implements MethodInterceptor {

    private final RetryInterceptor interceptor;

    /** Written without a lock: it is immutable, and two threads that prepare it at the same time get equal plans. */
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
        // Another target can have another class.
        return known.fits(invocation) ? interceptor.call(invocation, known) : interceptor.invoke(invocation);
    }

    /**
     * Whether the retries are the last advice of the proxy, and this advice is in no other chain. A chain has the order of the
     * proxy's advisors, so nothing can follow then, whichever of the advisors apply to the method.
     */
    private boolean isLast(MethodInvocation invocation) {
        // A subclass may call the target in its own way.
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
