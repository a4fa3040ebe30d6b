// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.proxy;

import dev.retryon.benchmarks.call.Probe;
import dev.retryon.benchmarks.call.Scenario;
import dev.retryon.benchmarks.call.TransientFault;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.Retryable;

/**
 * Retried by spring-retry. It makes a delay of zero one millisecond, so its sleeper is replaced by one that does not
 * sleep.
 */
public class SpringRetryCalls implements Calls {

    @Override
    @Retryable(retryFor = TransientFault.class, maxAttempts = Scenario.FEW, backoff = @Backoff(0))
    public Probe call(Probe probe) {
        return probe.attempt();
    }

    @Override
    @Retryable(retryFor = TransientFault.class, maxAttempts = Scenario.FEW, backoff = @Backoff(0))
    public Probe refuse(Probe probe) {
        return probe.refuse();
    }

    @Override
    @Retryable(
            retryFor = TransientFault.class,
            maxAttempts = Scenario.FEW,
            backoff = @Backoff(0),
            exceptionExpression = "busy")
    public Probe gate(Probe probe) {
        return probe.attempt();
    }

    @Override
    @Retryable(retryFor = TransientFault.class, maxAttempts = Scenario.MANY, backoff = @Backoff(0))
    public Probe callOften(Probe probe) {
        return probe.attempt();
    }
}
