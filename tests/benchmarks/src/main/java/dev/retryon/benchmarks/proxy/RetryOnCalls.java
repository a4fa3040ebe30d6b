// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.proxy;

import dev.retryon.benchmarks.call.Probe;
import dev.retryon.benchmarks.call.Scenario;
import dev.retryon.benchmarks.call.TransientFault;
import dev.retryon.spring.RetryOn;

/** Retried by RetryOn. */
public class RetryOnCalls implements Calls {

    @Override
    @RetryOn(exceptions = TransientFault.class, maxAttempts = Scenario.FEW, delay = "0")
    public Probe call(Probe probe) {
        return probe.attempt();
    }

    @Override
    @RetryOn(exceptions = TransientFault.class, maxAttempts = Scenario.FEW, delay = "0")
    public Probe refuse(Probe probe) {
        return probe.refuse();
    }

    @Override
    @RetryOn(exceptions = TransientFault.class, maxAttempts = Scenario.FEW, delay = "0", onlyIf = "#error.busy")
    public Probe gate(Probe probe) {
        return probe.attempt();
    }

    @Override
    @RetryOn(exceptions = TransientFault.class, maxAttempts = Scenario.MANY, delay = "0")
    public Probe callOften(Probe probe) {
        return probe.attempt();
    }
}
