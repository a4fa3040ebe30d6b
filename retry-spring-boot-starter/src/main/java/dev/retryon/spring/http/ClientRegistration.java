/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.http;

import dev.retryon.RetryBuilder;
import dev.retryon.RetryListener;
import dev.retryon.spring.method.OtherRetry;
import dev.retryon.spring.method.RetriedMethods;
import dev.retryon.spring.settings.EffectiveSettings;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What makes clients known to the application: its endpoint shows them with the sources of their settings, and its meters
 * count their requests. Immutable.
 *
 * @param methods has the counters of each name and the known clients; {@code null} if the application has none
 * @param policy the settings that the policy was made of; {@code null} if it was made in code
 * @param properties the names of the other settings that come from properties
 * @param listener those that the policy names; {@code null} if it names none or was made in code
 */
record ClientRegistration(
        @Nullable RetriedMethods methods,
        @Nullable EffectiveSettings policy,
        Set<String> properties,
        @Nullable RetryListener listener) {

    /** Of clients that are made without the application. */
    static final ClientRegistration NONE = new ClientRegistration(null, null, Set.of(), null);

    /** Of clients whose settings all come from properties. */
    static ClientRegistration ofProperties(
            RetriedMethods methods, EffectiveSettings policy, @Nullable RetryListener listener) {
        return new ClientRegistration(methods, policy, HttpSettings.ALL, listener);
    }

    ClientRegistration withPolicyInCode() {
        return new ClientRegistration(methods, null, properties, null);
    }

    ClientRegistration withSettingInCode(String setting) {
        Set<String> others = new LinkedHashSet<>(properties);
        others.remove(setting);
        return new ClientRegistration(methods, policy, others, listener);
    }

    /** Counts the requests of a name, and lets operators switch their retries off. */
    RetryBuilder switchable(String name, RetryBuilder retry) {
        return methods == null ? retry : methods.switchable(name, retry);
    }

    void add(HttpRetry client) {
        if (methods != null) {
            methods.addClient(new OtherRetry(client.name(), client.policy(), HttpSettings.of(client, this)));
        }
    }
}
