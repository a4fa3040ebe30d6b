// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.proxy;

import dev.retryon.benchmarks.call.Probe;
import dev.retryon.benchmarks.call.Scenario;
import dev.retryon.benchmarks.call.TransientFault;
import java.lang.reflect.Method;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.resilience.retry.MethodRetryPredicate;

/** Retried by Spring Framework's own annotation. */
public class SpringCalls implements Calls {

    private static final int RETRIES = Scenario.FEW - 1;

    @Override
    @Retryable(includes = TransientFault.class, maxRetries = RETRIES, delay = 0)
    public Probe call(Probe probe) {
        return probe.attempt();
    }

    @Override
    @Retryable(includes = TransientFault.class, maxRetries = RETRIES, delay = 0)
    public Probe refuse(Probe probe) {
        return probe.refuse();
    }

    @Override
    @Retryable(includes = TransientFault.class, maxRetries = RETRIES, delay = 0, predicate = IfBusy.class)
    public Probe gate(Probe probe) {
        return probe.attempt();
    }

    @Override
    @Retryable(includes = TransientFault.class, maxRetries = Scenario.MANY - 1, delay = 0)
    public Probe callOften(Probe probe) {
        return probe.attempt();
    }

    /** The gate, which is compiled Java because Spring has no expressions here. */
    static final class IfBusy implements MethodRetryPredicate {

        @Override
        public boolean shouldRetry(Method method, Throwable error) {
            return error instanceof TransientFault fault && fault.isBusy();
        }
    }
}
