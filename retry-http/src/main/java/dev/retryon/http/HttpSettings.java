/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.http;

import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.SettingSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.http.HttpMethod;

/** The settings of a client with their sources, for the endpoint. */
final class HttpSettings {

    static final String STATUSES = "statuses";

    static final String METHODS = "methods";

    static final String IDEMPOTENCY_KEY_HEADER = "idempotencyKeyHeader";

    static final String IDEMPOTENCY_KEY = "idempotencyKey";

    /** As in {@code retryon.http.idempotency-key}. */
    static final String GIVEN = "given";

    static final String GENERATE = "generate";

    static final Set<String> ALL = Set.of(STATUSES, METHODS, IDEMPOTENCY_KEY_HEADER, IDEMPOTENCY_KEY);

    private HttpSettings() {}

    /** Lists the settings of a client with the sources that its registration knows. */
    static Map<String, EffectiveSettings.Value<?>> of(HttpRetry http, ClientRegistration registration) {
        EffectiveSettings policy = registration.policy();
        Set<String> properties = registration.properties();
        EffectiveSettings ofPolicy = policy != null ? policy : EffectiveSettings.of(http.policy());
        Map<String, EffectiveSettings.Value<?>> settings = ofPolicy.byAttribute();
        List<String> methods = http.methods().stream().map(HttpMethod::name).toList();
        add(settings, STATUSES, http.statuses(), HttpRetry.DEFAULT_STATUSES, properties);
        add(settings, METHODS, methods, HttpRetry.DEFAULT_METHODS, properties);
        add(
                settings,
                IDEMPOTENCY_KEY_HEADER,
                Objects.requireNonNullElse(http.idempotencyKeyHeader(), ""),
                HttpRetry.DEFAULT_IDEMPOTENCY_KEY_HEADER,
                properties);
        add(settings, IDEMPOTENCY_KEY, http.generatesIdempotencyKey() ? GENERATE : GIVEN, GIVEN, properties);
        return settings;
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
                isDefault ? SettingSource.BUILT_IN : properties.contains(key) ? property(key) : SettingSource.CODE;
        settings.put(key, new EffectiveSettings.Value<>(value, List.of(source)));
    }

    private static SettingSource property(String key) {
        return SettingSource.http(DataObjectPropertyName.toDashedForm(key));
    }
}
