/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.budget.RetryBudget;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;

/**
 * The retry budgets of the application: those that methods share by name, and those of single methods. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RetryBudgets {

    /** The name of the budget that is there without being configured, with the built-in defaults. */
    public static final String DEFAULT = "default";

    /** A budget named here is made for each method anew. */
    static final String DEFAULTS_SOURCE = "retryon.defaults";

    private final Map<String, RetryBudget.Builder> configured;

    private final Map<String, RetryBudget> budgets = new ConcurrentHashMap<>();

    private final List<BiConsumer<String, RetryBudget>> observers = new CopyOnWriteArrayList<>();

    /**
     * Creates the budgets.
     *
     * @param configured {@code retryon.budgets}, by name
     */
    public RetryBudgets(Map<String, RetryBudget.Builder> configured) {
        this.configured = configured;
    }

    /**
     * Tells of every budget, those known already and those to come.
     *
     * @param observer takes the name, which is a method's name for a budget of its own, and the budget; perhaps more than
     *     once
     */
    public void observe(BiConsumer<String, RetryBudget> observer) {
        observers.add(observer);
        budgets.forEach(observer);
    }

    /** The budget of a name; throws IllegalArgumentException with a sentence that says what is wrong. */
    RetryBudget shared(String name) {
        return budget(name, name);
    }

    /** A method's own budget, made as the named one is. */
    RetryBudget own(String name, String method) {
        return budget(name, method);
    }

    private RetryBudget budget(String name, String key) {
        RetryBudget.Builder builder =
                name.equals(DEFAULT) ? configured.getOrDefault(DEFAULT, RetryBudget.builder()) : configured.get(name);
        if (builder == null) {
            throw new IllegalArgumentException("must be '" + DEFAULT + "' or one of those under retryon.budgets: "
                    + new TreeSet<>(configured.keySet()));
        }
        RetryBudget known = budgets.get(key);
        if (known != null) {
            return known;
        }
        RetryBudget made = budgets.computeIfAbsent(key, missing -> builder.build());
        observers.forEach(observer -> observer.accept(key, made));
        return made;
    }
}
