// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import dev.retryon.budget.RetryBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The layers that the application's properties configure: policies and budgets by name, methods by class or method,
 * pointcuts by id. Without a limit, {@code maxAttemptsLimit} is {@code null}. Immutable.
 */
public record ConfiguredLayers(
        RetryLayer defaults,
        Map<String, RetryLayer> policies,
        Map<String, RetryLayer> methods,
        Map<String, PointcutPolicy> pointcuts,
        Map<String, RetryBudget.Builder> budgets,
        @Nullable Integer maxAttemptsLimit) {

    /**
     * The built-in policy of a name, and over it the one that the application configures; empty if there is no such
     * policy.
     */
    public List<RetryLayer> policy(String name) {
        return Stream.concat(Stream.ofNullable(BuiltInPolicies.find(name)), Stream.ofNullable(policies.get(name)))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    /** The policy for methods that an AspectJ expression selects. The source is {@code retryon.pointcuts.<id>}. */
    public record PointcutPolicy(String source, String expression, String policy) {}
}
