// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.durable.internal.settings.DurableGroup;
import dev.retryon.spring.module.RetriedMethod;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Whether a lane's calls run. A reason that applies to more calls comes first. */
public enum LaneState {
    /** No running process has threads for any method of the lane. */
    NO_THREADS,

    /** All methods of the lane are paused in this process. */
    PAUSED,

    /** This process tries one call at a time. */
    PROBING,

    /** This process has started as many attempts as the lane's rate allows. */
    RATE,

    /** Some methods of the lane are paused in this process. */
    PARTLY_PAUSED,

    /** Calls run when they are due. */
    OPEN;

    /** Returns the state's name in responses and tags, in lower case with hyphens. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns the states of all lanes of this process by the names of the lanes.
     *
     * @throws RuntimeException if the store, which contains the methods of other processes, cannot be read
     */
    public static Map<String, LaneState> all(DurableCalls calls) {
        Map<String, LaneState> states = new TreeMap<>();
        Set<String> announced = null;
        for (Map.Entry<String, LaneGate> lane : calls.gates().entrySet()) {
            Predicate<RetriedMethod> mine =
                    method -> method.isHandedOver() && DurableGroup.lane(method).equals(lane.getKey());
            Set<String> methods = calls.methods().callable(mine);
            boolean runs = methods.isEmpty() || calls.settings().lanes().hasThreads(lane.getKey());
            if (!runs) {
                announced = announced != null ? announced : calls.announced().collect(Collectors.toSet());
                runs = !Collections.disjoint(methods, announced);
            }
            states.put(lane.getKey(), runs ? of(calls, lane.getValue(), mine) : NO_THREADS);
        }
        return states;
    }

    private static LaneState of(DurableCalls calls, LaneGate gate, Predicate<RetriedMethod> mine) {
        boolean isPaused = !calls.methods().all(method -> !DurableGroup.isPaused(method), mine);
        if (isPaused && calls.methods().all(DurableGroup::isPaused, mine)) {
            return PAUSED;
        }
        if (gate.isClosed()) {
            return PROBING;
        }
        if (gate.isAtRate()) {
            return RATE;
        }
        return isPaused ? PARTLY_PAUSED : OPEN;
    }
}
