// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.proxy;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Only proceeds: what any advice costs at least, written the usual way. */
public final class EmptyAdvice implements MethodInterceptor {

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        return invocation.proceed();
    }
}
