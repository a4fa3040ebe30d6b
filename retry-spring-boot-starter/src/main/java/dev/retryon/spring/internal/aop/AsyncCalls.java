// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import dev.retryon.spring.module.Weaving.WovenCall;
import java.lang.reflect.Method;
import java.util.concurrent.Future;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;

/**
 * Detects calls that run through Spring's {@code @Async}, whose thread waits for the future that the method returns. If later
 * attempts needed threads of the same pool, all its threads could wait, and none would be left to run the attempts.
 */
final class AsyncCalls {

    private AsyncCalls() {}

    static boolean surround(RetryInterceptor advice, MethodInvocation invocation, Class<?> targetClass, Method method) {
        if (invocation instanceof WovenCall) {
            // The proxies around this one are unknown. Spring's @Async rejects methods with other return types.
            return Future.class.isAssignableFrom(method.getReturnType())
                    && (AnnotatedElementUtils.hasAnnotation(method, Async.class)
                            || AnnotatedElementUtils.hasAnnotation(targetClass, Async.class));
        }
        if (!(invocation instanceof ProxyMethodInvocation proxied)
                || !(proxied.getProxy() instanceof Advised advised)) {
            return false;
        }
        for (Advisor advisor : advised.getAdvisors()) {
            if (advice.isOf(advisor)) {
                return false;
            }
            if (advisor.getAdvice() instanceof AsyncExecutionInterceptor && matches(advisor, targetClass, method)) {
                return true;
            }
        }
        return false;
    }

    private static boolean matches(Advisor advisor, Class<?> targetClass, Method method) {
        if (!(advisor instanceof PointcutAdvisor choosy)) {
            return true;
        }
        Pointcut pointcut = choosy.getPointcut();
        return pointcut.getClassFilter().matches(targetClass)
                && pointcut.getMethodMatcher().matches(method, targetClass);
    }
}
