// SPDX-License-Identifier: Apache-2.0
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
 * then put in force. Thread-safe, but the settings must not change between the two steps.
 */
public final class MethodUpdates {

    private final RetryMethodResolver resolver;

    private final RetriedMethods methods;

    private final RetryBudgets budgets;

    public MethodUpdates(RetryMethodResolver resolver, RetriedMethods methods, RetryBudgets budgets) {
        this.resolver = resolver;
        this.methods = methods;
        this.budgets = budgets;
    }

    /** Settings that are ready to be put in force. */
    public record Update(List<RetryFault> faults, List<Runnable> steps) {

        /**
         * Applies the settings, without those that are wrong. Running calls keep their settings. Runs no code of the
         * application. The values of the switches apply after {@link RetriedMethod#obeySwitch}.
         */
        public void putInForce() {
            steps.forEach(Runnable::run);
        }
    }

    public ConfiguredLayers configured() {
        return resolver.configured();
    }

    /**
     * Prepares all methods for other layers on top of those of properties and code.
     *
     * @param onTop gives these layers, the weakest first, for a method and the layers below them
     */
    public Update prepare(BiFunction<RetriedMethod, List<RetryLayer>, List<RetryLayer>> onTop) {
        return prepare(methods.all(), onTop);
    }

    /** Prepares one method for other layers on top of those of properties and code. */
    public Update prepare(RetriedMethod method, BiFunction<RetriedMethod, List<RetryLayer>, List<RetryLayer>> onTop) {
        return prepare(List.of(method), onTop);
    }

    private Update prepare(
            List<RetriedMethod> some, BiFunction<RetriedMethod, List<RetryLayer>, List<RetryLayer>> onTop) {
        MethodLayers now = resolver.layers();
        List<Runnable> steps = new ArrayList<>();
        return new Update(
                resolver.faultsDuring(() -> some.forEach(method -> steps.add(step(method, now, onTop)))), steps);
    }

    /** Prepares all methods and budgets for other properties, also methods that are found later. */
    public Update prepare(
            ConfiguredLayers properties, BiFunction<RetriedMethod, List<RetryLayer>, List<RetryLayer>> onTop) {
        List<RetryFault> wrong = new ArrayList<>(budgets.admit(properties.budgets()));
        List<Runnable> steps = new ArrayList<>();
        wrong.addAll(resolver.faultsDuring(() -> {
            MethodLayers next = resolver.read(properties);
            steps.add(() -> resolver.become(next));
            methods.all().forEach(method -> steps.add(step(method, next, onTop)));
            resolver.checkUnused(next);
        }));
        steps.add(() -> budgets.become(properties.budgets()));
        return new Update(wrong, steps);
    }

    @SuppressWarnings("ReferenceEquality") // there is one for each time that properties were read
    private Runnable step(
            RetriedMethod method,
            MethodLayers base,
            BiFunction<RetriedMethod, List<RetryLayer>, List<RetryLayer>> onTop) {
        boolean known = method.configuration() == base;
        List<RetryLayer> own = known ? method.layers() : base.of(method.beanClass(), method.method());
        List<RetryLayer> all = new ArrayList<>(own);
        all.addAll(onTop.apply(method, own));
        boolean same = method.has(all);
        if (same && known) {
            return () -> {};
        }
        Retry retry = same ? method.retry() : resolver.retry(method, all, base);
        return () -> method.become(base, own, all, retry);
    }
}
