/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.Retry;
import dev.retryon.spring.settings.RetryFault;
import dev.retryon.spring.settings.RetryLayer;
import dev.retryon.spring.settings.StarterLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Prepares methods for what operators have changed. */
final class ChangedMethods {

    private final RetryMethodResolver resolver;

    private final RetriedMethods methods;

    /** What does not fit methods that were found after it was changed. */
    private final Map<RetriedMethod, Set<RuntimeChange>> misfits = new ConcurrentHashMap<>();

    ChangedMethods(RetryMethodResolver resolver, RetriedMethods methods) {
        this.resolver = resolver;
        this.methods = methods;
    }

    /**
     * Prepares all methods.
     *
     * @param changes what is to hold
     * @return what puts it in force
     * @throws IllegalArgumentException if anything is wrong with it for any method
     */
    List<Runnable> prepare(List<RuntimeChange> changes) {
        List<Runnable> ready = new ArrayList<>();
        List<RetryFault> wrong = resolver.faultsDuring(() ->
                methods.all().forEach(method -> ready.add(prepare(method, layers(method, changes)))));
        if (!wrong.isEmpty()) {
            throw new IllegalArgumentException(print(wrong));
        }
        return ready;
    }

    /** Prepares a method for changes that hold already. Those that do not fit it are left out, with a warning. */
    Runnable follow(RetriedMethod method, List<RuntimeChange> changes) {
        List<Runnable> ready = new ArrayList<>();
        if (!wrong(method, changes, ready::add).isEmpty()) {
            leaveOut(method, changes);
            ready.clear();
            wrong(method, changes, ready::add);
        }
        return ready.get(0);
    }

    private List<RetryFault> wrong(RetriedMethod method, List<RuntimeChange> changes, Consumer<Runnable> ready) {
        return resolver.faultsDuring(() -> ready.accept(prepare(method, layers(method, changes))));
    }

    private void leaveOut(RetriedMethod method, List<RuntimeChange> changes) {
        Set<RuntimeChange> unfit = misfits.computeIfAbsent(method, missing -> ConcurrentHashMap.newKeySet());
        unfit.retainAll(changes);
        for (int i = 0; i < changes.size(); i++) {
            List<RetryFault> wrong = wrong(method, changes.subList(0, i + 1), ready -> {});
            if (!wrong.isEmpty() && unfit.add(changes.get(i))) {
                StarterLog.warn(
                        "what an operator has changed does not hold for " + method.name() + ": " + print(wrong));
            }
        }
    }

    private List<RetryLayer> layers(RetriedMethod method, List<RuntimeChange> changes) {
        Set<RuntimeChange> unfit = misfits.getOrDefault(method, Set.of());
        List<RetryLayer> layers = new ArrayList<>(method.layers());
        for (RuntimeChange change : changes) {
            if (change.concerns(method.name(), method.layers()) && !unfit.contains(change)) {
                layers.add(change.layer());
            }
        }
        return layers;
    }

    /** Prepares a method for layers; records what is wrong. */
    private Runnable prepare(RetriedMethod method, List<RetryLayer> layers) {
        if (method.has(layers)) {
            return () -> {};
        }
        Retry retry = resolver.retry(method, layers);
        return () -> method.become(layers, retry);
    }

    private static String print(List<RetryFault> faults) {
        return faults.stream().map(RetryFault::toString).collect(Collectors.joining("; "));
    }
}
