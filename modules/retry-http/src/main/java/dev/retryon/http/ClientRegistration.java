// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import dev.retryon.RetryBuilder;
import dev.retryon.spring.internal.policy.StandaloneRetries;
import dev.retryon.spring.internal.policy.StandaloneRetry;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.SettingSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.http.HttpMethod;

/**
 * Registers clients with the application: its endpoint shows them with the sources of their settings, and its meters
 * count their requests. Immutable.
 *
 * @param retries takes each client; {@code null} if the application has none
 * @param policy the settings that the policy was made of; {@code null} if it was made in code
 * @param properties the names of the other settings that come from properties
 */
record ClientRegistration(
        @Nullable StandaloneRetries retries, @Nullable EffectiveSettings policy, Set<String> properties) {

    static final String STATUSES = "statuses";

    static final String METHODS = "methods";

    static final String IDEMPOTENCY_KEY_HEADER = "idempotencyKeyHeader";

    static final String IDEMPOTENCY_KEY = "idempotencyKey";

    /** As in {@code retryon.http.idempotency-key}. */
    private static final String GIVEN = "given";

    private static final String GENERATE = "generate";

    /** For clients that are created without the application. */
    static final ClientRegistration NONE = new ClientRegistration(null, null, Set.of());

    /** For clients whose settings all come from properties. */
    static ClientRegistration ofProperties(StandaloneRetries retries, EffectiveSettings policy) {
        Set<String> all = Set.of(STATUSES, METHODS, IDEMPOTENCY_KEY_HEADER, IDEMPOTENCY_KEY);
        return new ClientRegistration(retries, policy, all);
    }

    ClientRegistration withPolicyInCode() {
        return new ClientRegistration(retries, null, properties);
    }

    ClientRegistration withSettingInCode(String setting) {
        Set<String> others = new LinkedHashSet<>(properties);
        others.remove(setting);
        return new ClientRegistration(retries, policy, others);
    }

    /** Counts the requests of a name, and lets operators switch their retries off. */
    RetryBuilder switchable(String name, RetryBuilder retry) {
        return retries == null ? retry : retries.switchable(name, retry);
    }

    void add(HttpRetry client) {
        if (retries != null) {
            retries.addClient(new StandaloneRetry(client.name(), client.policy(), settings(client)));
        }
    }

    /** The settings of a client with their sources, for the endpoint. */
    private Map<String, EffectiveSettings.Value<?>> settings(HttpRetry client) {
        EffectiveSettings ofPolicy = policy != null ? policy : EffectiveSettings.of(client.policy());
        Map<String, EffectiveSettings.Value<?>> settings = ofPolicy.byAttribute();
        List<String> methods = client.methods().stream().map(HttpMethod::name).toList();
        String header = Objects.requireNonNullElse(client.idempotencyKeyHeader(), "");
        String key = client.generatesIdempotencyKey() ? GENERATE : GIVEN;
        settings.put(STATUSES, value(STATUSES, client.statuses(), Set.copyOf(HttpRetry.DEFAULT_STATUSES)));
        settings.put(METHODS, value(METHODS, methods, HttpRetry.DEFAULT_METHODS));
        settings.put(
                IDEMPOTENCY_KEY_HEADER,
                value(IDEMPOTENCY_KEY_HEADER, header, HttpRetry.DEFAULT_IDEMPOTENCY_KEY_HEADER));
        settings.put(IDEMPOTENCY_KEY, value(IDEMPOTENCY_KEY, key, GIVEN));
        return settings;
    }

    private EffectiveSettings.Value<?> value(String name, Object value, Object byDefault) {
        SettingSource source = value.equals(byDefault)
                ? SettingSource.BUILT_IN
                : properties.contains(name)
                        ? SettingSource.http(DataObjectPropertyName.toDashedForm(name))
                        : SettingSource.CODE;
        return new EffectiveSettings.Value<>(value, List.of(source));
    }
}
