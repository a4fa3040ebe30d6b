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
 * The retries of HTTP clients. Their settings come from a policy of {@code retryon.policies}, from the defaults or from
 * code; operators can change them. Thread-safe.
 */
public interface ClientRetries {

    /** Adds a client, and returns a supplier of its current retry. Records what is wrong with its settings. */
    Supplier<Retry> add(Client client);

    /** Records what is wrong with the settings of a client. */
    void check(Client client);

    /**
     * A client.
     *
     * @param property the property that names the policy
     * @param policy a policy under {@code retryon.policies}; {@code null} for the defaults alone
     * @param code the policy, if it was built in code; {@code null} if it comes from properties
     * @param builder makes a builder for a policy, with the engine of the client
     * @param others settings that only clients have, by attribute
     */
    record Client(
            String name,
            String property,
            @Nullable String policy,
            @Nullable RetryPolicy code,
            Function<RetryPolicy, RetryBuilder> builder,
            Map<String, EffectiveSettings.Value<?>> others) {}
}
