// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import dev.retryon.spring.ReturnStyle;
import dev.retryon.spring.internal.declaration.RetryPointcut;
import dev.retryon.spring.internal.declaration.RetrySelection;
import dev.retryon.spring.internal.policy.MethodRetry;
import dev.retryon.spring.internal.policy.RetryMethodResolver;
import dev.retryon.spring.internal.style.ReturnStyles;
import dev.retryon.spring.module.Weaving.WovenCall;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;

/** Adds the advice to the retried methods of beans, within the bean's only proxy. */
public final class RetryAdvisor extends AbstractPointcutAdvisor {

    private static final long serialVersionUID = 1L;

    private final transient Pointcut pointcut;

    private final transient RetryInterceptor interceptor;

    /**
     * Creates an advisor, which needs the settings only when the first method is called. If methods are {@code woven}, no
     * bean is proxied: the methods {@linkplain WovenCall call} the advice themselves.
     */
    public RetryAdvisor(
            RetrySelection selection,
            boolean woven,
            int order,
            Supplier<RetryMethodResolver> resolver,
            ReturnStyles styles,
            BiFunction<MethodRetry, @Nullable ReturnStyle, ReturnStyle> storing,
            BooleanSupplier firstLogged) {
        this.pointcut = woven ? new RetryPointcut(type -> false, (method, type) -> false) : selection.pointcut();
        this.interceptor = new RetryInterceptor(resolver, styles, storing, firstLogged);
        setOrder(order);
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    /** Returns a new object for each chain of advice and for each woven method; see {@link ChainAdvice}. */
    @Override
    public MethodInterceptor getAdvice() {
        return new ChainAdvice(interceptor);
    }
}
