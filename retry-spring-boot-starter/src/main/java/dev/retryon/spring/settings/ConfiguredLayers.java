package dev.retryon.spring.settings;

import dev.retryon.budget.RetryBudget;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the application's properties say. Immutable.
 *
 * @param defaults {@code retry.defaults}
 * @param policies {@code retry.policies}, by name
 * @param methods {@code retry.methods}, by class or method
 * @param pointcuts {@code retry.pointcuts}, by id
 * @param budgets {@code retry.budgets}, by name
 * @param maxAttemptsLimit {@code retry.limits.max-attempts}, or {@code null} if there is no limit
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
     * @param source the property, {@code retry.pointcuts.<id>}
     * @param expression an AspectJ pointcut expression
     * @param policy the name of a policy
     */
    public record PointcutPolicy(String source, String expression, String policy) {}
}
