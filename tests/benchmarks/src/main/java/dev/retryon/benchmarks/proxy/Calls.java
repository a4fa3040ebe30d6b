// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.proxy;

import dev.retryon.benchmarks.call.Action;
import dev.retryon.benchmarks.call.Probe;
import dev.retryon.benchmarks.call.Scenario;

/** What a measured bean has: a method for each kind of policy, which does nothing but fail as its probe says. */
public interface Calls {

    /**
     * Three attempts.
     *
     * @param probe the probe
     * @return the probe
     */
    Probe call(Probe probe);

    /**
     * Three attempts, of which the first fails permanently.
     *
     * @param probe the probe
     * @return the probe
     */
    Probe refuse(Probe probe);

    /**
     * Three attempts, each retry behind a condition.
     *
     * @param probe the probe
     * @return the probe
     */
    Probe gate(Probe probe);

    /**
     * {@value Scenario#MANY} attempts.
     *
     * @param probe the probe
     * @return the probe
     */
    Probe callOften(Probe probe);

    /**
     * The call that a scenario asks for. Static, for inside an instance method a proxy is bypassed.
     *
     * @param calls the bean
     * @param scenario the scenario
     * @param probe the probe
     * @return the call
     */
    static Action action(Calls calls, Scenario scenario, Probe probe) {
        return switch (scenario) {
            case SUCCEED, FAIL_TWICE, FAIL_TWICE_DEEP, EXHAUST -> () -> calls.call(probe);
            case REFUSE -> () -> calls.refuse(probe);
            case GATE -> () -> calls.gate(probe);
            case FAIL_9, FAIL_999 -> () -> calls.callOften(probe);
        };
    }
}
