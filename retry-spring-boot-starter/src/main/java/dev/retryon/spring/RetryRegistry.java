// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

import dev.retryon.Retry;
import dev.retryon.RetryPolicy;

/**
 * Provides retries for code without annotations. These retries use the application's engine, so listeners, meters, logs
 * and shutdown work as for annotated methods. If settings change at run time, the change applies to the next call of a
 * retry that your code already has. A {@link Retry} from {@code Retry.of} has none of these features.
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
     * Returns the retry of a named policy. The settings come from {@code retryon.defaults}, overridden by
     * {@code retryon.policies.<policy>}. The name of the retry in meters, events, logs and endpoints is the name of the
     * policy.
     *
     * @param policy the name of the policy
     * @return the retry; the same object for each call with the same name
     * @throws IllegalArgumentException if no policy has that name, or if a setting requires a method of a bean, such as
     *     {@code recover} or {@code beforeRetry}
     */
    Retry retry(String policy);

    /**
     * Creates a retry with a policy that is built programmatically. Properties do not apply to it, but operators can
     * change its values at run time. If several retries have the same name, the endpoint shows the latest one.
     *
     * @param name the name in meters, events, logs and endpoints, where it is part of a URL. Do not derive the name
     *     from data: after {@code retryon.metrics.max-tag-values} different names, meters and endpoints show further
     *     names as {@code other}
     * @param policy the policy
     * @return a new retry
     * @throws IllegalArgumentException if the name is blank, or contains a slash or a line break
     */
    Retry retry(String name, RetryPolicy policy);
}
