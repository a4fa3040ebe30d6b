// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import dev.retryon.Retry;
import dev.retryon.RetryBuilder;
import dev.retryon.RetryPolicy;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Creates the retries of HTTP clients. The settings of such a retry come from a policy of {@code retryon.policies},
 * from the defaults or from code, and operators can change the settings. Thread-safe.
 */
public interface ClientRetries {

    /** Adds a client and returns a supplier of its current retry. Records faults in the settings of the client. */
    Supplier<Retry> add(Client client);

    /** Records faults in the settings of a client. */
    void check(Client client);

    /**
     * An HTTP client whose requests are retried.
     *
     * @param property the property that names the policy
     * @param policy a policy in {@code retryon.policies}; {@code null} if only the defaults apply
     * @param code the policy, if it was built in code; {@code null} if it comes from properties
     * @param builder creates a builder for a policy, with the engine of the client
     * @param others the settings that only HTTP clients have, by attribute
     */
    record Client(
            String name,
            String property,
            @Nullable String policy,
            @Nullable RetryPolicy code,
            Function<RetryPolicy, RetryBuilder> builder,
            Map<String, EffectiveSettings.Value<?>> others) {}
}
