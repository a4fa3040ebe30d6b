package dev.retryon.spring.aop;

import dev.retryon.RetryOperation;
import dev.retryon.spring.reactive.ReturnStyle;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.core.KotlinDetector;

/** What is prepared for a method so that its calls need look up nothing. Makes the attempts. */
final class RetryPlan implements RetryOperation<MethodInvocation, @Nullable Object> {

    private static final MethodType TARGET_AND_ARGUMENTS =
            MethodType.methodType(Object.class, Object.class, Object[].class);

    private final MethodInterceptor advice;

    private final @Nullable RetriedMethod method;

    /** Calls the target's method; {@code null} if it can't be reached. */
    private final @Nullable MethodHandle direct;

    private final boolean proxyAsTarget;

    private final @Nullable ReturnStyle style;

    private RetryPlan(
            MethodInterceptor advice,
            @Nullable RetriedMethod method,
            @Nullable MethodHandle direct,
            boolean proxyAsTarget,
            @Nullable ReturnStyle style) {
        this.advice = advice;
        this.method = method;
        this.direct = direct;
        this.proxyAsTarget = proxyAsTarget;
        this.style = style;
    }

    static RetryPlan of(
            MethodInterceptor advice,
            @Nullable RetriedMethod retried,
            Class<?> targetClass,
            Method method,
            @Nullable ReturnStyle style) {
        return new RetryPlan(
                advice,
                retried,
                retried == null ? null : direct(targetClass, method),
                Advised.class.isAssignableFrom(targetClass),
                style);
    }

    private static @Nullable MethodHandle direct(Class<?> targetClass, Method method) {
        if (!method.getDeclaringClass().isAssignableFrom(targetClass)
                || Modifier.isStatic(method.getModifiers())
                || KotlinDetector.isSuspendingFunction(method)) {
            return null;
        }
        try {
            method.setAccessible(true);
            return MethodHandles.lookup()
                    .unreflect(method)
                    .asFixedArity()
                    .asSpreader(Object[].class, method.getParameterCount())
                    .asType(TARGET_AND_ARGUMENTS);
        } catch (IllegalAccessException | RuntimeException ex) {
            return null;
        }
    }

    /** The method, or {@code null} if it is not retried. */
    @Nullable RetriedMethod method() {
        return method;
    }

    /** How the method gives a result that is not there yet on return; {@code null} for plain values. */
    @Nullable ReturnStyle style() {
        return style;
    }

    /** Whether targets are proxies themselves, which may have this advice too. */
    boolean hasProxyAsTarget() {
        return proxyAsTarget;
    }

    @Override
    @SuppressWarnings("NullAway") // T admits null
    public @Nullable Object run(MethodInvocation invocation, int attempt) throws Throwable {
        return attempt == 1 ? attempt(invocation) : retry(invocation, attempt);
    }

    @Override
    public RetryOperation<MethodInvocation, @Nullable Object> retries(MethodInvocation invocation) {
        return new LoggedRetries(this);
    }

    @Nullable Object attempt(MethodInvocation invocation) throws Throwable {
        if (direct != null && ProxyChain.isLast(advice, invocation)) {
            return direct.invokeExact(invocation.getThis(), invocation.getArguments());
        }
        if (invocation instanceof ProxyMethodInvocation proxied) {
            return proxied.invocableClone().proceed();
        }
        return invocation.proceed();
    }

    /** A later attempt that is made on its own, on whatever thread. */
    private @Nullable Object retry(MethodInvocation invocation, int attempt) throws Throwable {
        LoggedRetries alone = new LoggedRetries(this);
        try {
            return alone.run(invocation, attempt);
        } finally {
            alone.end();
        }
    }
}
