/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.http;

import dev.retryon.RetryPolicy;
import dev.retryon.spring.settings.EffectiveSettings;
import dev.retryon.spring.settings.SettingSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;

/** The settings of a client with their sources, for the endpoint. */
final class HttpSettings {

    static final String STATUSES = "statuses";

    static final String METHODS = "methods";

    static final String IDEMPOTENCY_KEY_HEADER = "idempotencyKeyHeader";

    private HttpSettings() {}

    /**
     * Lists the settings.
     *
     * @param policy what the policy was made of; {@code null} if it was made in code
     * @param properties the other settings that come from properties
     */
    static Map<String, EffectiveSettings.Value<?>> of(
            HttpRetry http, @Nullable EffectiveSettings policy, Set<String> properties) {
        Map<String, EffectiveSettings.Value<?>> settings = new LinkedHashMap<>();
        if (policy != null) {
            policy.values().forEach((key, value) -> settings.put(key.attribute(), value));
        } else {
            ofPolicy(http.policy(), settings);
        }
        List<String> methods = http.methods().stream().map(HttpMethod::name).toList();
        add(settings, STATUSES, http.statuses(), HttpRetry.DEFAULT_STATUSES, properties);
        add(settings, METHODS, methods, HttpRetry.DEFAULT_METHODS, properties);
        add(
                settings,
                IDEMPOTENCY_KEY_HEADER,
                Objects.requireNonNullElse(http.idempotencyKeyHeader(), ""),
                HttpRetry.DEFAULT_IDEMPOTENCY_KEY_HEADER,
                properties);
        return settings;
    }

    private static void ofPolicy(RetryPolicy policy, Map<String, EffectiveSettings.Value<?>> settings) {
        put(settings, "maxAttempts", policy.maxAttempts());
        put(settings, "retryable", policy.retryable());
        put(settings, "backoff", policy.backoff());
        put(settings, "delay", policy.delay());
        put(settings, "maxDelay", policy.maxDelay());
        put(settings, "jitter", policy.jitter());
        put(settings, "timeout", policy.timeout());
        put(settings, "attemptTimeout", policy.attemptTimeout());
    }

    private static void put(Map<String, EffectiveSettings.Value<?>> settings, String key, @Nullable Object value) {
        if (value != null) {
            settings.put(key, new EffectiveSettings.Value<>(value, List.of(SettingSource.code())));
        }
    }

    private static void add(
            Map<String, EffectiveSettings.Value<?>> settings,
            String key,
            Object value,
            Object byDefault,
            Set<String> properties) {
        boolean isDefault = value instanceof Set<?> values
                ? byDefault instanceof List<?> defaults && values.equals(Set.copyOf(defaults))
                : value.equals(byDefault);
        SettingSource source =
                isDefault ? SettingSource.builtIn() : properties.contains(key) ? property(key) : SettingSource.code();
        settings.put(key, new EffectiveSettings.Value<>(value, List.of(source)));
    }

    private static SettingSource property(String key) {
        return SettingSource.http(key.equals(IDEMPOTENCY_KEY_HEADER) ? "idempotency-key-header" : key);
    }
}
