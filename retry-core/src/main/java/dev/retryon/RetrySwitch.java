// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Turns retries off at run time, which allows an operator to remove their load immediately. First attempts still run.
 * Any number of retries can share a switch. Thread-safe.
 *
 * @see RetryBuilder#retrySwitch
 * @since 0.1.0
 */
public final class RetrySwitch {

    /** The engines whose calls use this switch, nearly always one. */
    private final Set<RetryEngine> engines =
            Collections.newSetFromMap(Collections.synchronizedMap(new WeakHashMap<>(1)));

    private volatile boolean off;

    /** Creates a switch that is on. */
    public RetrySwitch() {}

    /** {@return whether retries are off; {@code false} for a new switch} */
    public boolean isOff() {
        return off;
    }

    /**
     * Turns retries off. All current delays end immediately, and so do the waits of asynchronous calls for a thread.
     * The calls end with their last error or their recovery, with the reason {@link StopReason#SWITCHED_OFF}. Running
     * attempts continue. Delays in a custom {@link RetryTime} are not shortened. If a module stores the retries of a
     * call, the call does not end, but is stored again.
     */
    public void turnOff() {
        off = true;
        List.copyOf(engines).forEach(engine -> engine.endWaits(this));
    }

    /** Turns retries on again. Calls that have ended are not resumed. */
    public void turnOn() {
        off = false;
    }

    void serves(RetryEngine engine) {
        engines.add(engine);
    }

    @Override
    public String toString() {
        return off ? "off" : "on";
    }
}
