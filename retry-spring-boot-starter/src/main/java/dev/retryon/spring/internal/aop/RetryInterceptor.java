// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import dev.retryon.Retry;
import dev.retryon.RetryResult;
import dev.retryon.spring.ReturnStyle;
import dev.retryon.spring.internal.policy.MethodRetry;
import dev.retryon.spring.internal.policy.RetryMethodResolver;
import dev.retryon.spring.internal.scope.RetryScope;
import dev.retryon.spring.internal.style.ReturnStyles;
import dev.retryon.spring.module.HandoverBackend.AdaptableStyle;
import dev.retryon.spring.module.SettingGroup;
import dev.retryon.spring.module.Weaving.WovenCall;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.core.MethodClassKey;

/** The advice, which finds the plan of the called method and hands the call to the engine. */
final class RetryInterceptor {

    private final Supplier<RetryMethodResolver> resolver;

    private final ReturnStyles styles;

    private final BiFunction<MethodRetry, @Nullable ReturnStyle, ReturnStyle> storing;

    private final BooleanSupplier firstLogged;

    private final Map<MethodClassKey, RetryPlan> plans = new ConcurrentHashMap<>();

    RetryInterceptor(
            Supplier<RetryMethodResolver> resolver,
            ReturnStyles styles,
            BiFunction<MethodRetry, @Nullable ReturnStyle, ReturnStyle> storing,
            BooleanSupplier firstLogged) {
        this.firstLogged = firstLogged;
        this.storing = storing;
        this.resolver = resolver;
        this.styles = styles;
    }

    /** Runs a call through a chain that has no plan for its target. */
    @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        MethodClassKey key = new MethodClassKey(invocation.getMethod(), RetryPlan.targetClass(invocation));
        RetryPlan plan = plans.get(key);
        if (plan == null) {
            plan = prepare(invocation, false);
            plans.put(key, plan);
        }
        return call(invocation, plan);
    }

    @Nullable Object call(MethodInvocation invocation, RetryPlan plan) throws Throwable {
        MethodRetry retried = plan.retried();
        if (retried == null || (plan.hasProxyAsTarget() && isAdvised(invocation.getThis()))) {
            return invocation.proceed();
        }
        RetryScope scope = RetryScope.current();
        if (scope != null) {
            return call(invocation, plan, retried, scope);
        }
        ReturnStyle style = plan.style();
        return style == null ? retried.retry().call(invocation, plan) : style.call(retried.retry(), invocation, plan);
    }

    /** Runs a call that {@code Retries} overrides or captures, or that continues a stored call. */
    private @Nullable Object call(MethodInvocation invocation, RetryPlan plan, MethodRetry method, RetryScope scope)
            throws Throwable {
        UnaryOperator<Retry> resumption = scope.isPending() ? scope.take(method.key()) : null;
        if (resumption != null) {
            Retry resumed = resumption.apply(method.retry());
            ReturnStyle style = AdaptableStyle.resumed(plan.style());
            // The worker waits for the result.
            return style == null
                    ? resumed.call(invocation, plan)
                    : AdaptableStyle.held(style).call(resumed, invocation, plan);
        }
        Retry retry = method.override(scope.override());
        RetryScope.Recording recording = scope.begin();
        try (RetryScope.Suspension suspended = scope.suspend()) {
            ReturnStyle style = plan.style();
            if (style != null) {
                return AdaptableStyle.overridden(style, scope.override())
                        .call(retry.watched(recording::record), invocation, plan);
            }
            RetryResult<@Nullable Object> result = retry.capture(invocation, plan);
            recording.record(result);
            return result.getOrThrow();
        }
    }

    /** Prepares calls like the given one. {@code last} is set if no other advice follows in any of them. */
    RetryPlan prepare(MethodInvocation invocation, boolean last) {
        Method method = invocation.getMethod();
        Class<?> targetClass = RetryPlan.targetClass(invocation);
        MethodRetry retried = invocation instanceof WovenCall call
                ? resolver.get().findWoven(call, targetClass)
                : resolver.get().find(method, targetClass);
        if (retried == null) {
            return new RetryPlan(method, targetClass, null, null, last, false);
        }
        Method specific = retried.method();
        ReturnStyle style = styles.of(specific);
        if (retried.settings().storing() == SettingGroup.Storing.ALL_CALLS) {
            style = storing.apply(retried, style);
        }
        if (style != null && AsyncCalls.surround(this, invocation, targetClass, specific)) {
            style = AdaptableStyle.held(style);
        }
        return new RetryPlan(method, targetClass, retried, style, last, firstLogged.getAsBoolean());
    }

    /** Returns whether the target is a proxy with the same advice, because a bean that is exposed twice is advised only once. */
    private boolean isAdvised(@Nullable Object target) {
        return target instanceof Advised advised
                && Arrays.stream(advised.getAdvisors()).anyMatch(this::isOf);
    }

    boolean isOf(Advisor advisor) {
        return advisor.getAdvice() instanceof ChainAdvice chained && chained.interceptor() == this;
    }
}
