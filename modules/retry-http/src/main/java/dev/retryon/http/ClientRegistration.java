// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import dev.retryon.Retry;
import dev.retryon.RetryBuilder;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.module.ClientRetries;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.SettingSource;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.http.HttpMethod;

/**
 * Registers clients with the application. The endpoint and the meters then show them, and operators can change their settings.
 * Immutable.
 *
 * @param application the application; {@code null} for clients that are created without it
 * @param hasPolicyInCode whether the policy was built programmatically
 * @param properties the names of the other settings that come from properties
 */
record ClientRegistration(@Nullable Application application, boolean hasPolicyInCode, Set<String> properties) {

    /** @param policy {@code retryon.http.policy}; {@code null} if only the defaults apply */
    record Application(ClientRetries retries, @Nullable String policy) {}

    static final String POLICY = "retryon.http.policy";

    static final String STATUSES = "statuses";

    static final String METHODS = "methods";

    static final String IDEMPOTENCY_KEY_HEADER = "idempotencyKeyHeader";

    static final String IDEMPOTENCY_KEY = "idempotencyKey";

    /** As in {@code retryon.http.idempotency-key}. */
    private static final String GIVEN = "given";

    private static final String GENERATE = "generate";

    /** For clients that are created without the application. */
    static final ClientRegistration NONE = new ClientRegistration(null, true, Set.of());

    static ClientRegistration ofProperties(Application application) {
        return new ClientRegistration(
                application, false, Set.of(STATUSES, METHODS, IDEMPOTENCY_KEY_HEADER, IDEMPOTENCY_KEY));
    }

    ClientRegistration withPolicyInCode() {
        return new ClientRegistration(application, true, properties);
    }

    ClientRegistration withSettingInCode(String setting) {
        Set<String> others = new LinkedHashSet<>(properties);
        others.remove(setting);
        return new ClientRegistration(application, hasPolicyInCode, others);
    }

    /** Adds a client, and returns a supplier of its current retry. The code's policy is ignored if properties set a policy. */
    Supplier<Retry> add(
            String name, RetryPolicy code, RequestRules rules, Function<RetryPolicy, RetryBuilder> builder) {
        if (application == null) {
            Retry retry = builder.apply(code).build();
            return () -> retry;
        }
        return application
                .retries()
                .add(new ClientRetries.Client(
                        name, POLICY, application.policy(), hasPolicyInCode ? code : null, builder, settings(rules)));
    }

    private Map<String, EffectiveSettings.Value<?>> settings(RequestRules rules) {
        List<String> methods = rules.methods().stream().map(HttpMethod::name).toList();
        String header = Objects.requireNonNullElse(rules.idempotencyKeyHeader(), "");
        String key = rules.generatesKey() ? GENERATE : GIVEN;
        Map<String, EffectiveSettings.Value<?>> settings = new LinkedHashMap<>();
        settings.put(STATUSES, value(STATUSES, rules.statuses(), Set.copyOf(HttpRetry.DEFAULT_STATUSES)));
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
                        ? SettingSource.module("retryon.http." + DataObjectPropertyName.toDashedForm(name))
                        : SettingSource.CODE;
        return new EffectiveSettings.Value<>(value, List.of(source));
    }
}
