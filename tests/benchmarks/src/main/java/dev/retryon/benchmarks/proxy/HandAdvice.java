// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.proxy;

import dev.retryon.benchmarks.call.Scenario;
import dev.retryon.benchmarks.call.TransientFault;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** The hand-written loop, which clones the invocation for each attempt, as an advice that repeats must do. */
final class HandAdvice implements MethodInterceptor {

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        int most = invocation.getMethod().getName().equals("callOften") ? Scenario.MANY : Scenario.FEW;
        for (int attempt = 1; ; attempt++) {
            try {
                return ((ProxyMethodInvocation) invocation).invocableClone().proceed();
            } catch (TransientFault ex) {
                if (attempt == most || !ex.isBusy()) {
                    throw ex;
                }
            }
        }
    }
}
