// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.control;

import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.internal.policy.MethodUpdates;
import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.report.StarterLog;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.internal.settings.RetryLayer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Prepares methods for changes by operators and for changed properties. Changes are sorted, the weakest first. */
final class ChangedMethods {

    private final MethodUpdates updates;

    /** Changes that contradict methods that were found later. */
    private final Map<RetriedMethod, Set<RuntimeChange>> misfits = new ConcurrentHashMap<>();

    ChangedMethods(MethodUpdates updates) {
        this.updates = updates;
    }

    /** Throws RetryConfigurationException if anything is wrong with the properties. */
    MethodUpdates.Update prepare(ConfiguredLayers properties, List<RuntimeChange> changes) {
        MethodUpdates.Update update = updates.prepare(properties, (method, own) -> layers(method, own, changes));
        if (!update.faults().isEmpty()) {
            throw new RetryConfigurationException(update.faults());
        }
        return update;
    }

    /** Throws IllegalArgumentException if anything is wrong with the changes for any method. */
    MethodUpdates.Update prepare(List<RuntimeChange> changes) {
        MethodUpdates.Update update = updates.prepare((method, own) -> layers(method, own, changes));
        if (!update.faults().isEmpty()) {
            throw new IllegalArgumentException(print(update.faults()));
        }
        return update;
    }

    /** Prepares a method for current changes. Changes that do not fit it are left out, with a warning. */
    MethodUpdates.Update follow(RetriedMethod method, List<RuntimeChange> changes) {
        MethodUpdates.Update update = update(method, changes);
        if (update.faults().isEmpty()) {
            return update;
        }
        leaveOut(method, changes);
        return update(method, changes);
    }

    private MethodUpdates.Update update(RetriedMethod method, List<RuntimeChange> changes) {
        return updates.prepare(method, (same, own) -> layers(same, own, changes));
    }

    private void leaveOut(RetriedMethod method, List<RuntimeChange> changes) {
        Set<RuntimeChange> unfit = misfits.computeIfAbsent(method, missing -> ConcurrentHashMap.newKeySet());
        unfit.retainAll(changes);
        for (int i = 0; i < changes.size(); i++) {
            List<RetryFault> wrong = update(method, changes.subList(0, i + 1)).faults();
            if (!wrong.isEmpty() && unfit.add(changes.get(i))) {
                StarterLog.warn("a change by an operator does not apply to " + method.name() + ": " + print(wrong));
            }
        }
    }

    /** The layers of those changes that concern a method. */
    private List<RetryLayer> layers(RetriedMethod method, List<RetryLayer> own, List<RuntimeChange> changes) {
        Set<RuntimeChange> unfit = misfits.getOrDefault(method, Set.of());
        List<RetryLayer> layers = new ArrayList<>();
        for (RuntimeChange change : changes) {
            if (change.concerns(method.name(), own) && !unfit.contains(change)) {
                layers.add(change.layer());
            }
        }
        return layers;
    }

    private static String print(List<RetryFault> faults) {
        return faults.stream().map(RetryFault::toString).collect(Collectors.joining("; "));
    }
}
