// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

import dev.retryon.Retry;
import dev.retryon.RetryPolicy;

/**
 * Provides retries for code without annotations. They use the application's engine, so listeners, meters, logs and shutdown
 * work as for annotated methods. Changes of settings at run time apply to the next call of a retry that your code already
 * has. None of this works for a {@link Retry} that {@code Retry.of} creates.
 *
 * <pre>{@code
 * Retry retry = registry.retry("payments");
 * Receipt receipt = retry.call(() -> gateway.charge(order));
 * }</pre>
 *
 * @since 0.1.0
 */
public interface RetryRegistry {

    /**
     * Returns the retry of a named policy. Its settings are those of {@code retryon.defaults}, overridden by {@code
     * retryon.policies.<policy>}. Its name in meters, events, logs and endpoints is the name of the policy.
     *
     * @param policy the name of the policy
     * @return the same object for each call with the same name
     * @throws IllegalArgumentException if no policy has that name, or if a setting needs a bean's method, such as {@code
     *     recover} or {@code beforeRetry}
     */
    Retry retry(String policy);

    /**
     * Creates a retry with a policy that is built in code. No property applies to it, but operators can change its values at
     * run time. If several have the same name, the endpoint shows the latest one.
     *
     * @param name the name in meters, events, logs and endpoints; it is part of addresses. Do not derive it from data:
     *     after {@code retryon.metrics.max-tag-values} different names, meters and endpoints show further ones as {@code
     *     other}
     * @param policy the policy
     * @return a new retry
     * @throws IllegalArgumentException if the name is blank, or contains a slash or a line break
     */
    Retry retry(String name, RetryPolicy policy);
}
