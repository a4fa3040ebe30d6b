/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.http;

import dev.retryon.RetryBuilder;
import dev.retryon.RetryListener;
import dev.retryon.spring.internal.policy.StandaloneRetries;
import dev.retryon.spring.internal.policy.StandaloneRetry;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Registers clients with the application: its endpoint shows them with the sources of their settings, and its meters
 * count their requests. Immutable.
 *
 * @param retries takes each client; {@code null} if the application has none
 * @param policy the settings that the policy was made of; {@code null} if it was made in code
 * @param properties the names of the other settings that come from properties
 * @param listener those that the policy names; {@code null} if it names none or was made in code
 */
record ClientRegistration(
        @Nullable StandaloneRetries retries,
        @Nullable EffectiveSettings policy,
        Set<String> properties,
        @Nullable RetryListener listener) {

    /** For clients that are created without the application. */
    static final ClientRegistration NONE = new ClientRegistration(null, null, Set.of(), null);

    /** For clients whose settings all come from properties. */
    static ClientRegistration ofProperties(
            StandaloneRetries retries, EffectiveSettings policy, @Nullable RetryListener listener) {
        return new ClientRegistration(retries, policy, HttpSettings.ALL, listener);
    }

    ClientRegistration withPolicyInCode() {
        return new ClientRegistration(retries, null, properties, null);
    }

    ClientRegistration withSettingInCode(String setting) {
        Set<String> others = new LinkedHashSet<>(properties);
        others.remove(setting);
        return new ClientRegistration(retries, policy, others, listener);
    }

    /** Counts the requests of a name, and lets operators switch their retries off. */
    RetryBuilder switchable(String name, RetryBuilder retry) {
        return retries == null ? retry : retries.switchable(name, retry);
    }

    void add(HttpRetry client) {
        if (retries != null) {
            retries.addClient(new StandaloneRetry(client.name(), client.policy(), HttpSettings.of(client, this)));
        }
    }
}
