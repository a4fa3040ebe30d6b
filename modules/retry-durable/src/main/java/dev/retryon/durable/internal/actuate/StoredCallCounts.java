// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import dev.retryon.ExhaustionAction;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.spring.module.RecentCounts.StoredCounts;
import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.RetriedMethods;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Counts stored calls for the dashboard's history. Opens the store only if the application has a method that keeps calls.
 */
public record StoredCallCounts(Supplier<StoredCalls> calls, RetriedMethods retries) implements StoredCounts {

    @Override
    public Map<String, Stored> byName() {
        Map<String, Stored> counts = new HashMap<>();
        if (areStored()) {
            StoredCalls.Filter open = StoredCalls.Filter.of(State.WAITING, State.RUNNING, State.BLOCKED, State.DEAD);
            calls.get()
                    .groups(open, StoredCallsEndpoint.GROUPS)
                    .forEach(group -> counts.merge(group.name(), of(group), Stored::plus));
        }
        return counts;
    }

    private boolean areStored() {
        return retries.policies().stream().anyMatch(policy -> policy.onExhaustion() == ExhaustionAction.DEAD_LETTER)
                || retries.methods().stream().anyMatch(RetriedMethod::isHandedOver);
    }

    private static Stored of(StoredCalls.Group group) {
        return group.state() == State.DEAD ? new Stored(0, group.count()) : new Stored(group.count(), 0);
    }
}
