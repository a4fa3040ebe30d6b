/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.settings;

import dev.retryon.budget.RetryBudget;
import java.util.Map;
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
     * Methods chosen by an AspectJ expression, and the policy for them.
     *
     * @param source the property, {@code retryon.pointcuts.<id>}
     * @param expression an AspectJ pointcut expression
     * @param policy the name of a policy
     */
    public record PointcutPolicy(String source, String expression, String policy) {}
}
