// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.budget.RetryBudget;
import dev.retryon.spring.Place;
import dev.retryon.spring.RetryFault;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The application's retry budgets: shared budgets, which methods use by name, and budgets of individual methods. Thread-safe. */
public final class RetryBudgets {

    /** The name of the budget that exists without configuration and has the built-in defaults. */
    public static final String DEFAULT = "default";

    private volatile Map<String, RetryBudget.Builder> configured;

    private final Map<Key, RetryBudget> budgets = new ConcurrentHashMap<>();

    private final List<BiConsumer<String, RetryBudget>> observers = new CopyOnWriteArrayList<>();

    public RetryBudgets(Map<String, RetryBudget.Builder> configured) {
        this.configured = configured;
    }

    /**
     * Passes every current and future budget with its label to an observer, perhaps more than once. The label is the budget's
     * name. A method's own budget has the method's name, followed by {@code (own)} if a configured budget has that name.
     */
    public void observe(BiConsumer<String, RetryBudget> observer) {
        observers.add(observer);
        budgets.forEach((key, budget) -> observer.accept(label(key), budget));
    }

    /** Prepares new budgets in addition to the current ones. Returns the faults. */
    List<RetryFault> admit(Map<String, RetryBudget.Builder> next) {
        List<RetryFault> wrong = new ArrayList<>();
        for (Key key : budgets.keySet()) {
            String name = key.name();
            if (!next.containsKey(name) && !name.equals(DEFAULT)) {
                wrong.add(new RetryFault(
                        Place.property("retryon.budgets." + name),
                        "was removed, but calls still use this budget; restore it"));
            }
        }
        Map<String, RetryBudget.Builder> admitted = new LinkedHashMap<>(next);
        admitted.putAll(configured);
        configured = admitted;
        return wrong;
    }

    /** Changes the existing budgets, and the budgets that are created from now on. */
    void become(Map<String, RetryBudget.Builder> next) {
        configured = next;
        budgets.forEach((key, budget) -> {
            RetryBudget.Builder builder = find(key.name());
            if (builder != null) {
                budget.reconfigure(builder);
            }
        });
    }

    /** Returns a budget that methods share. Throws IllegalArgumentException with a sentence if the name is unknown. */
    RetryBudget shared(String name) {
        return budget(new Key(name, null));
    }

    /** Returns a method's own budget, which has the settings of the named budget. */
    RetryBudget own(String name, String method) {
        return budget(new Key(name, method));
    }

    private RetryBudget.@Nullable Builder find(String name) {
        RetryBudget.Builder builder = configured.get(name);
        return builder == null && name.equals(DEFAULT) ? RetryBudget.builder() : builder;
    }

    private RetryBudget budget(Key key) {
        RetryBudget.Builder builder = find(key.name());
        if (builder == null) {
            throw new IllegalArgumentException("must be '" + DEFAULT + "'"
                    + (configured.isEmpty()
                            ? ", because no budget is configured under retryon.budgets"
                            : " or one of the budgets under retryon.budgets: "
                                    + String.join(", ", new TreeSet<>(configured.keySet()))));
        }
        RetryBudget known = budgets.get(key);
        if (known != null) {
            return known;
        }
        RetryBudget made = budgets.computeIfAbsent(key, missing -> builder.build());
        observers.forEach(observer -> observer.accept(label(key), made));
        return made;
    }

    private String label(Key key) {
        String method = key.method();
        if (method == null) {
            return key.name();
        }
        return method.equals(DEFAULT) || configured.containsKey(method) ? method + " (own)" : method;
    }

    /** @param method the method that owns the budget; {@code null} for a shared budget */
    private record Key(String name, @Nullable String method) {}
}
