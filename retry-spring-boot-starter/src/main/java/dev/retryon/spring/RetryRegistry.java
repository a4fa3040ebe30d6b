/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

import dev.retryon.Retry;
import dev.retryon.RetryPolicy;

/**
 * Retries for code without annotations. They use the application's engine: its listeners, meters, logs and shutdown apply
 * to them as they do to annotated methods, which a {@link Retry} made with {@code Retry.of} does not have.
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
     * The retry of a named policy. Its settings are those of {@code retryon.defaults} with {@code
     * retryon.policies.<policy>} on top. Meters, events, logs and endpoints call it by the name of the policy.
     *
     * @param policy the name of the policy
     * @return the same retry for each call with the same name
     * @throws IllegalArgumentException if there is no policy of that name, or its settings need a bean's method, as {@code
     *     recover} does
     */
    Retry retry(String policy);

    /**
     * A retry with a policy that is built in code. No property applies to it. The endpoint shows the latest one of a name.
     *
     * @param name what meters, events, logs and endpoints call it
     * @param policy the policy
     * @return a new retry
     */
    Retry retry(String name, RetryPolicy policy);
}
