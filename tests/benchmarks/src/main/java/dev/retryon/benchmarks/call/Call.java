// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.call;

import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.CompilerControl;

/** An action, its probe and its scenario: what a benchmark measures, and what checks that it does what it says. */
public final class Call {

    private final Scenario scenario;

    private final Probe probe;

    private final Action action;

    /**
     * Prepares a call.
     *
     * @param scenario how its attempts go
     * @param probe the probe that the action hands on
     * @param action the retried call
     */
    public Call(Scenario scenario, Probe probe, Action action) {
        this.scenario = scenario;
        this.probe = probe;
        this.action = action;
    }

    /**
     * Makes the call.
     *
     * @return what it returned or threw
     */
    public @Nullable Object make() {
        probe.begin(scenario.failures());
        return deeper(scenario.depth());
    }

    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    private @Nullable Object deeper(int frames) {
        if (frames > 0) {
            return deeper(frames - 1);
        }
        try {
            return action.run();
        } catch (Throwable ex) {
            return ex;
        }
    }

    /**
     * Makes the call once and looks whether it went as the scenario says.
     *
     * @param who whose call it is, for the message
     * @throws IllegalStateException if it did not
     */
    public void check(String who) {
        Object outcome = make();
        boolean ended = switch (scenario) {
            case REFUSE -> isOrWraps(outcome, PermanentFault.class);
            case EXHAUST -> isOrWraps(outcome, TransientFault.class);
            default -> outcome == probe;
        };
        if (!ended || probe.attempts() != scenario.attempts()) {
            throw new IllegalStateException("%s, %s: wanted %d attempts, saw %d, and the outcome was %s"
                    .formatted(who, scenario, scenario.attempts(), probe.attempts(), outcome));
        }
    }

    /** Some engines wrap the last error. */
    private static boolean isOrWraps(@Nullable Object outcome, Class<?> type) {
        return type.isInstance(outcome) || (outcome instanceof Throwable error && type.isInstance(error.getCause()));
    }
}
