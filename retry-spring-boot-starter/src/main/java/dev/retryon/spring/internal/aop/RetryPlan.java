// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import dev.retryon.RetryContext;
import dev.retryon.RetryOperation;
import dev.retryon.spring.ReturnStyle;
import dev.retryon.spring.internal.policy.MethodRetry;
import dev.retryon.spring.internal.report.AttemptLogContext;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/** A prepared call to a method, so that calls need no look-up. Runs the attempts. */
final class RetryPlan implements RetryOperation<MethodInvocation, @Nullable Object> {

    private final Method method;

    private final Class<?> targetClass;

    private final @Nullable MethodRetry retried;

    /** Calls the target's method; {@code null} if other advice follows, or if the method cannot be reached. */
    private final @Nullable TargetCall direct;

    /** The style of a result that is not complete on return; {@code null} for plain values. */
    private final @Nullable ReturnStyle style;

    private final boolean proxyAsTarget;

    /** Whether the first attempt also has its number in the log context. */
    private final boolean firstLogged;

    /**
     * @param method the method as invocations name it
     * @param retried the method's settings; {@code null} if it is not retried
     * @param last whether no other advice follows
     */
    RetryPlan(
            Method method,
            Class<?> targetClass,
            @Nullable MethodRetry retried,
            @Nullable ReturnStyle style,
            boolean last,
            boolean firstLogged) {
        this.method = method;
        this.targetClass = targetClass;
        this.retried = retried;
        this.direct = last && retried != null ? TargetCalls.of(targetClass, retried.method()) : null;
        this.style = style;
        this.proxyAsTarget = Advised.class.isAssignableFrom(targetClass);
        this.firstLogged = firstLogged;
    }

    static Class<?> targetClass(MethodInvocation invocation) {
        Object target = invocation.getThis();
        return target != null ? target.getClass() : invocation.getMethod().getDeclaringClass();
    }

    @SuppressWarnings("ReferenceEquality") // a proxy class has one object for each method
    boolean fits(MethodInvocation invocation) {
        return targetClass(invocation) == targetClass && invocation.getMethod() == method;
    }

    @Nullable MethodRetry retried() {
        return retried;
    }

    @Nullable ReturnStyle style() {
        return style;
    }

    /** Returns whether targets are proxies themselves, which can also have this advice. */
    boolean hasProxyAsTarget() {
        return proxyAsTarget;
    }

    @Override
    @SuppressWarnings("NullAway") // T admits null
    public @Nullable Object run(MethodInvocation invocation, int attempt) throws Throwable {
        return firstLogged && attempt == 1 ? logged(invocation) : attempt(invocation);
    }

    private @Nullable Object logged(MethodInvocation invocation) throws Throwable {
        try (AttemptLogContext context = AttemptLogContext.of(RetryContext.current())) {
            return attempt(invocation);
        }
    }

    private @Nullable Object attempt(MethodInvocation invocation) throws Throwable {
        return direct != null ? direct.on(invocation.getThis(), invocation.getArguments()) : proceed(invocation);
    }

    private @Nullable Object proceed(MethodInvocation invocation) throws Throwable {
        if (!(invocation instanceof ProxyMethodInvocation proxied)) {
            return invocation.proceed();
        }
        MethodInvocation attempt = proxied.invocableClone();
        // A later result is produced on another call stack, where AspectJ advice finds its arguments only through the
        // exposed invocation.
        return style == null ? attempt.proceed() : ExposeInvocationInterceptor.INSTANCE.invoke(attempt);
    }
}
