/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.settings;

import dev.retryon.budget.RetryBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The layers that the application's properties configure. Immutable.
 *
 * @param defaults {@code retryon.defaults}
 * @param policies {@code retryon.policies}, by name
 * @param methods {@code retryon.methods}, by class or method
 * @param pointcuts {@code retryon.pointcuts}, by id
 * @param budgets {@code retryon.budgets}, by name
 * @param maxAttemptsLimit {@code retryon.limits.max-attempts}, or {@code null} if there is no limit
 */
public record ConfiguredLayers(
        RetryLayer defaults,
        Map<String, RetryLayer> policies,
        Map<String, RetryLayer> methods,
        Map<String, PointcutPolicy> pointcuts,
        Map<String, RetryBudget.Builder> budgets,
        @Nullable Integer maxAttemptsLimit) {

    /**
     * The layers of a policy: the built-in one of the name, and over it what the application configures.
     *
     * @param name the name
     * @return the layers, the weakest first; empty if there is no such policy
     */
    public List<RetryLayer> policy(String name) {
        List<RetryLayer> layers = new ArrayList<>(2);
        RetryLayer builtIn = BuiltInPolicies.find(name);
        if (builtIn != null) {
            layers.add(builtIn);
        }
        RetryLayer own = policies.get(name);
        if (own != null) {
            layers.add(own);
        }
        return layers;
    }

    /** The names of all policies, sorted. */
    public SortedSet<String> policyNames() {
        SortedSet<String> names = new TreeSet<>(BuiltInPolicies.names());
        names.addAll(policies.keySet());
        return names;
    }

    /**
     * Methods chosen by an AspectJ expression, and the policy for them.
     *
     * @param source the property, {@code retryon.pointcuts.<id>}
     * @param expression an AspectJ pointcut expression
     * @param policy the name of a policy
     */
    public record PointcutPolicy(String source, String expression, String policy) {}
}
