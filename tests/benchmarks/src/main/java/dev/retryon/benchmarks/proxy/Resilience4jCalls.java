// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.proxy;

import dev.retryon.benchmarks.call.Probe;
import dev.retryon.benchmarks.call.TransientFault;
import io.github.resilience4j.retry.annotation.Retry;
import java.util.function.Predicate;

/** Retried by Resilience4j's Boot starter; the policies are properties, in {@link ProxyApplication}. */
public class Resilience4jCalls implements Calls {

    static final String CALL = "call";

    static final String GATE = "gate";

    static final String OFTEN = "often";

    @Override
    @Retry(name = CALL)
    public Probe call(Probe probe) {
        return probe.attempt();
    }

    @Override
    @Retry(name = CALL)
    public Probe refuse(Probe probe) {
        return probe.refuse();
    }

    @Override
    @Retry(name = GATE)
    public Probe gate(Probe probe) {
        return probe.attempt();
    }

    @Override
    @Retry(name = OFTEN)
    public Probe callOften(Probe probe) {
        return probe.attempt();
    }

    /** The gate. Compiled Java: Resilience4j has no expressions here. */
    public static final class IfBusy implements Predicate<Throwable> {

        @Override
        public boolean test(Throwable error) {
            return error instanceof TransientFault fault && fault.isBusy();
        }
    }
}
