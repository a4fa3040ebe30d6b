/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.settings;

import dev.retryon.budget.RetryBudget;
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
     * The policy of a name. What the application configures under the name of a built-in policy is laid over it.
     *
     * @param name the name
     * @return the policy, or {@code null} if there is none
     */
    public @Nullable RetryLayer policy(String name) {
        RetryLayer own = policies.get(name);
        RetryLayer builtIn = BuiltInPolicies.find(name);
        if (own == null || builtIn == null) {
            return own == null ? builtIn : own;
        }
        return new RetryLayer(own.source(), builtIn.settings().and(own.settings()), own.faults(), own.placeholders());
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
