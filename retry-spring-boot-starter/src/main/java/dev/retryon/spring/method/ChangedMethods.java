/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.Retry;
import dev.retryon.spring.settings.ConfiguredLayers;
import dev.retryon.spring.settings.RetryConfigurationException;
import dev.retryon.spring.settings.RetryFault;
import dev.retryon.spring.settings.RetryLayer;
import dev.retryon.spring.settings.StarterLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Prepares methods for what operators have changed, and for properties that have changed. */
final class ChangedMethods {

    private final RetryMethodResolver resolver;

    private final RetriedMethods methods;

    private final RetryBudgets budgets;

    /** What does not fit methods that were found after it was changed. */
    private final Map<RetriedMethod, Set<RuntimeChange>> misfits = new ConcurrentHashMap<>();

    ChangedMethods(RetryMethodResolver resolver, RetriedMethods methods, RetryBudgets budgets) {
        this.resolver = resolver;
        this.methods = methods;
        this.budgets = budgets;
    }

    /**
     * What holds.
     *
     * @param changes those of operators, the weakest first
     * @param layers what properties say
     */
    record State(List<RuntimeChange> changes, MethodLayers layers) {}

    /**
     * Properties that were read again.
     *
     * @param changes what is different
     * @param state what is to hold
     * @param ready what puts it in force
     */
    record Reading(PropertyChanges changes, State state, List<Runnable> ready) {}

    /**
     * Prepares all methods for other properties.
     *
     * @throws RetryConfigurationException if anything is wrong with them
     */
    Reading read(State now, Supplier<ConfiguredLayers> properties, OtherSwitches others) {
        PropertyChanges changes = PropertyChanges.between(now.layers().configured(), properties.get(), others);
        ConfiguredLayers read = changes.configured();
        List<RetryFault> wrong = new ArrayList<>(budgets.admit(read.budgets()));
        List<State> states = new ArrayList<>();
        List<Runnable> ready = new ArrayList<>();
        wrong.addAll(resolver.faultsDuring(() -> {
            State next = new State(now.changes(), resolver.layers().read(read));
            states.add(next);
            methods.all().forEach(method -> ready.add(prepare(method, next)));
            resolver.layers().checkUnused(next.layers());
        }));
        if (!wrong.isEmpty()) {
            throw new RetryConfigurationException(wrong);
        }
        ready.add(() -> budgets.become(read.budgets()));
        return new Reading(changes, states.get(0), ready);
    }

    /**
     * Prepares all methods.
     *
     * @param state what is to hold
     * @return what puts it in force
     * @throws IllegalArgumentException if anything is wrong with it for any method
     */
    List<Runnable> prepare(State state) {
        List<Runnable> ready = new ArrayList<>();
        List<RetryFault> wrong =
                resolver.faultsDuring(() -> methods.all().forEach(method -> ready.add(prepare(method, state))));
        if (!wrong.isEmpty()) {
            throw new IllegalArgumentException(print(wrong));
        }
        return ready;
    }

    /** Prepares a method for what holds already. Changes that do not fit it are left out, with a warning. */
    Runnable follow(RetriedMethod method, State state) {
        List<Runnable> ready = new ArrayList<>();
        if (!wrong(method, state, ready::add).isEmpty()) {
            leaveOut(method, state);
            ready.clear();
            wrong(method, state, ready::add);
        }
        return ready.get(0);
    }

    private List<RetryFault> wrong(RetriedMethod method, State state, Consumer<Runnable> ready) {
        return resolver.faultsDuring(() -> ready.accept(prepare(method, state)));
    }

    private void leaveOut(RetriedMethod method, State state) {
        List<RuntimeChange> changes = state.changes();
        Set<RuntimeChange> unfit = misfits.computeIfAbsent(method, missing -> ConcurrentHashMap.newKeySet());
        unfit.retainAll(changes);
        for (int i = 0; i < changes.size(); i++) {
            State some = new State(changes.subList(0, i + 1), state.layers());
            List<RetryFault> wrong = wrong(method, some, ready -> {});
            if (!wrong.isEmpty() && unfit.add(changes.get(i))) {
                StarterLog.warn(
                        "what an operator has changed does not hold for " + method.name() + ": " + print(wrong));
            }
        }
    }

    /** Prepares a method for what concerns it; records what is wrong. */
    @SuppressWarnings("ReferenceEquality") // there is one for each time that properties were read
    private Runnable prepare(RetriedMethod method, State state) {
        boolean known = method.configuration() == state.layers();
        List<RetryLayer> own = known ? method.layers() : resolver.layers().of(method, state.layers());
        Set<RuntimeChange> unfit = misfits.getOrDefault(method, Set.of());
        List<RetryLayer> all = new ArrayList<>(own);
        for (RuntimeChange change : state.changes()) {
            if (change.concerns(method.name(), own) && !unfit.contains(change)) {
                all.add(change.layer());
            }
        }
        boolean same = method.has(all);
        if (same && known) {
            return () -> {};
        }
        Retry retry = same ? method.retry() : resolver.retry(method, all, state.layers());
        return () -> method.become(state.layers(), own, all, retry);
    }

    private static String print(List<RetryFault> faults) {
        return faults.stream().map(RetryFault::toString).collect(Collectors.joining("; "));
    }
}
