/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.call;

import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.spring.internal.policy.RetriedMethod;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Finds out whether calls of a lane run at the moment, and the reason if they do not. Thread-safe. */
public final class LaneStates {

    private final DurableCalls calls;

    /**
     * Creates it.
     *
     * @param calls stores the calls
     */
    public LaneStates(DurableCalls calls) {
        this.calls = calls;
    }

    /** Whether calls of a lane run. A reason that applies to more calls is first. */
    public enum State {

        /** No running process has threads for any method of the lane. */
        NO_THREADS,

        /** All methods of the lane are paused in this process. */
        PAUSED,

        /** This process tries one call at a time. */
        PROBING,

        /** This process has started as many attempts as the rate of the lane allows. */
        RATE,

        /** Some methods of the lane are paused in this process. */
        PARTLY_PAUSED,

        /** Calls run as they are due. */
        OPEN;

        /**
         * The name in answers and tags.
         *
         * @return the name in lower case, with hyphens
         */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * The states of all lanes of this process.
     *
     * @return the states by the names of the lanes. A {@code CallEngine} bean does not say what other processes run, so a
     *     lane without threads here has the state {@link State#NO_THREADS}
     * @throws RuntimeException if the store, which contains what other processes run, can't be read
     */
    public Map<String, State> all() {
        Map<String, State> states = new TreeMap<>();
        Set<String> announced = null;
        for (Map.Entry<String, LaneGate> lane : calls.gates().entrySet()) {
            Predicate<RetriedMethod> mine =
                    method -> method.isDurable() && method.lane().equals(lane.getKey());
            Set<String> methods = calls.methods().callable(mine);
            boolean runs = methods.isEmpty() || calls.settings().lanes().hasThreads(lane.getKey());
            if (!runs && calls.transactions() instanceof RetryStore store) {
                announced = announced != null ? announced : LiveNodes.announced(store);
                runs = !Collections.disjoint(methods, announced);
            }
            states.put(lane.getKey(), runs ? state(lane.getValue(), mine) : State.NO_THREADS);
        }
        return states;
    }

    private State state(LaneGate gate, Predicate<RetriedMethod> mine) {
        boolean isPaused = !calls.methods().all(method -> !method.isPaused(), mine);
        if (isPaused && calls.methods().all(RetriedMethod::isPaused, mine)) {
            return State.PAUSED;
        }
        if (gate.isClosed()) {
            return State.PROBING;
        }
        if (gate.isAtRate()) {
            return State.RATE;
        }
        return isPaused ? State.PARTLY_PAUSED : State.OPEN;
    }
}
