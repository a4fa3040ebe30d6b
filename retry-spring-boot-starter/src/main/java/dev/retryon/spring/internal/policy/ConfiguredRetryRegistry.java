// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.Retry;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.module.RetryFaults;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** The retries of the application's named policies and of policies that are built programmatically. Thread-safe. */
public final class ConfiguredRetryRegistry implements RetryRegistry {

    private final RetryMethodResolver resolver;

    private final NamedRetries named;

    private final RetryFaults faults;

    private final Map<String, Retry> retries = new ConcurrentHashMap<>();

    public ConfiguredRetryRegistry(RetryMethodResolver resolver, NamedRetries named, RetryFaults faults) {
        this.resolver = resolver;
        this.named = named;
        this.faults = faults;
    }

    @Override
    public Retry retry(String policy) {
        Retry known = retries.get(policy);
        if (known != null) {
            return known;
        }
        if (resolver.configured().policy(policy).isEmpty()) {
            throw new IllegalArgumentException("no policy is named '" + policy + "'; use one of "
                    + String.join(", ", resolver.configured().policyNames()) + ", or configure retryon.policies."
                    + policy);
        }
        // This can create beans, so a lock could cause a deadlock with the bean factory's lock.
        StandaloneRetry made = StandaloneRetry.ofPolicy(policy);
        RetryFactory.refuse(faults.during(() -> resolver.check(made)));
        named.names().declare(policy);
        resolver.build(made);
        Retry following = Retry.following(made::retry);
        Retry other = retries.putIfAbsent(policy, following);
        if (other != null) {
            return other;
        }
        named.add(made);
        return following;
    }

    @Override
    public Retry retry(String name, RetryPolicy policy) {
        String problem = AnnotationReader.problemOfName(Objects.requireNonNull(name, "name"), name);
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        StandaloneRetry made =
                StandaloneRetry.ofCode(named.names().of(name), name, Objects.requireNonNull(policy, "policy"));
        resolver.add(made);
        return Retry.following(made::retry);
    }
}
