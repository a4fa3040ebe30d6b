package dev.retryon.spring.aop;

import dev.retryon.Retry;
import dev.retryon.RetryResult;
import dev.retryon.spring.RetryScope;
import dev.retryon.spring.reactive.ReturnStyle;
import java.lang.reflect.Method;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;

/** The advice: finds the plan of the method that is called and hands the call to the engine. */
public final class RetryInterceptor implements MethodInterceptor {

    private final RetryMethodResolver resolver;

    private final List<ReturnStyle> styles;

    private final PlanTable plans = new PlanTable();

    /**
     * Creates the advice.
     *
     * @param resolver knows what holds for a method
     * @param styles know methods whose result is not there yet on return; the first that fits is taken
     */
    public RetryInterceptor(RetryMethodResolver resolver, List<ReturnStyle> styles) {
        this.resolver = resolver;
        this.styles = List.copyOf(styles);
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        Method method = invocation.getMethod();
        Class<?> targetClass = target != null ? target.getClass() : method.getDeclaringClass();
        RetryPlan plan = plans.find(method, targetClass);
        if (plan == null) {
            plan = prepare(invocation, targetClass, method);
        }
        RetriedMethod retried = plan.method();
        if (retried == null || (plan.hasProxyAsTarget() && isAdvised(target))) {
            return invocation.proceed();
        }
        RetryScope scope = RetryScope.current();
        if (scope != null) {
            return invoke(invocation, plan, retried, scope);
        }
        ReturnStyle style = plan.style();
        return style == null ? retried.retry().call(invocation, plan) : style.call(retried.retry(), invocation, plan);
    }

    /** A call that {@code Retries} overrides or looks at. */
    private @Nullable Object invoke(MethodInvocation invocation, RetryPlan plan, RetriedMethod method, RetryScope scope)
            throws Throwable {
        Retry retry = resolver.override(method, scope.override());
        try (RetryScope.Suspension suspended = scope.suspend()) {
            ReturnStyle style = plan.style();
            if (style != null) {
                return style.call(retry, invocation, plan);
            }
            RetryResult<@Nullable Object> result = retry.execute(invocation, plan);
            scope.record(result);
            return result.getOrThrow();
        }
    }

    private RetryPlan prepare(MethodInvocation invocation, Class<?> targetClass, Method method) {
        Class<?> beanClass = BeanClasses.userClass(targetClass, method);
        Method specific = AopUtils.getMostSpecificMethod(method, beanClass);
        ReturnStyle style = styles.stream()
                .filter(candidate -> candidate.isStyleOf(specific))
                .findFirst()
                .orElse(null);
        if (style != null && AsyncCalls.surround(this, invocation, targetClass, specific)) {
            style = style.held();
        }
        RetryPlan plan = RetryPlan.of(this, resolver.resolved(beanClass, specific), targetClass, specific, style);
        // A call that is made before the start is checked: the fault is what people have to hear of, not what came of
        // it.
        resolver.requireNoFaults();
        plans.add(method, targetClass, plan);
        return plan;
    }

    /** Whether the target is a proxy that has this advice too: a bean that is exposed twice is advised once. */
    private boolean isAdvised(@Nullable Object target) {
        if (!(target instanceof Advised advised)) {
            return false;
        }
        for (Advisor advisor : advised.getAdvisors()) {
            if (advisor.getAdvice() == this) {
                return true;
            }
        }
        return false;
    }
}
