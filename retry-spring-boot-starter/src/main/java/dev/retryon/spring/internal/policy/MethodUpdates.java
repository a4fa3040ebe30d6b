/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.policy;

import dev.retryon.Retry;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.internal.settings.RetryLayer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Changes the settings of methods while the application runs. An update is prepared first, which changes nothing, and
 * then put in force. Thread-safe, but what an update replaces must still hold when it is put in force.
 */
public final class MethodUpdates {

    private final RetryMethodResolver resolver;

    private final RetriedMethods methods;

    private final RetryBudgets budgets;

    /**
     * Updates nothing at first.
     *
     * @param resolver makes what runs the calls
     * @param methods the methods
     * @param budgets the retry budgets
     */
    public MethodUpdates(RetryMethodResolver resolver, RetriedMethods methods, RetryBudgets budgets) {
        this.resolver = resolver;
        this.methods = methods;
        this.budgets = budgets;
    }

    /** Settings that are ready to be put in force. */
    public static final class Update {

        private final List<RetryFault> faults;

        private final List<Runnable> steps;

        private Update(List<RetryFault> faults, List<Runnable> steps) {
            this.faults = faults;
            this.steps = steps;
        }

        /** The faults of the settings: empty if nothing is wrong. */
        public List<RetryFault> faults() {
            return faults;
        }

        /**
         * Applies the settings, without those that are wrong. Running calls keep their settings. Runs no code of the
         * application. The values of the switches hold from {@link MethodUpdates#obeySwitch} on.
         */
        public void putInForce() {
            steps.forEach(Runnable::run);
        }
    }

    /** The properties that hold at this moment: those that the application began with, or took over since. */
    public ConfiguredLayers configured() {
        return resolver.configured();
    }

    /**
     * Prepares all methods for other layers on top of what the properties and the code say.
     *
     * @param onTop gives these layers, the weakest first, for a method and the layers below them
     * @return the update
     */
    public Update prepare(BiFunction<RetriedMethod, List<RetryLayer>, List<RetryLayer>> onTop) {
        MethodLayers now = resolver.layers().get();
        List<Runnable> steps = new ArrayList<>();
        return new Update(
                resolver.faultsDuring(() -> methods.all().forEach(method -> steps.add(step(method, now, onTop)))),
                steps);
    }

    /**
     * Prepares one method for other layers on top of what the properties and the code say.
     *
     * @param method the method
     * @param onTop gives these layers, the weakest first
     * @return the update
     */
    public Update prepare(RetriedMethod method, BiFunction<RetriedMethod, List<RetryLayer>, List<RetryLayer>> onTop) {
        MethodLayers now = resolver.layers().get();
        List<Runnable> steps = new ArrayList<>();
        return new Update(resolver.faultsDuring(() -> steps.add(step(method, now, onTop))), steps);
    }

    /**
     * Prepares all methods and budgets for other properties, also methods that are found later.
     *
     * @param properties the properties
     * @param onTop gives the layers on top of them, the weakest first, for a method and the layers below them
     * @return the update
     */
    public Update prepare(
            ConfiguredLayers properties, BiFunction<RetriedMethod, List<RetryLayer>, List<RetryLayer>> onTop) {
        List<RetryFault> wrong = new ArrayList<>(budgets.admit(properties.budgets()));
        List<Runnable> steps = new ArrayList<>();
        wrong.addAll(resolver.faultsDuring(() -> {
            MethodLayers next = resolver.layers().read(properties);
            steps.add(() -> resolver.layers().become(next));
            methods.all().forEach(method -> steps.add(step(method, next, onTop)));
            resolver.layers().checkUnused(next);
        }));
        steps.add(() -> budgets.become(properties.budgets()));
        return new Update(wrong, steps);
    }

    /** Prepares a method; records what is wrong. */
    @SuppressWarnings("ReferenceEquality") // there is one for each time that properties were read
    private Runnable step(
            RetriedMethod method,
            MethodLayers base,
            BiFunction<RetriedMethod, List<RetryLayer>, List<RetryLayer>> onTop) {
        boolean known = method.configuration() == base;
        List<RetryLayer> own = known ? method.layers() : resolver.layers().of(method, base);
        List<RetryLayer> all = new ArrayList<>(own);
        all.addAll(onTop.apply(method, own));
        boolean same = method.has(all);
        if (same && known) {
            return () -> {};
        }
        Retry retry = same ? method.retry() : resolver.retry(method, all, base);
        return () -> method.become(base, own, all, retry);
    }

    /**
     * Sets the switch of a method according to its settings. If it is switched off, waiting calls end.
     *
     * @param method the method
     */
    public void obeySwitch(RetriedMethod method) {
        method.obeySwitch();
    }
}
