/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.settings;

import dev.retryon.RetryPolicy;
import dev.retryon.backoff.Jitter;
import dev.retryon.spring.RetrySettings;
import java.io.IOException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** The policies that every application has without configuring them. */
final class BuiltInPolicies {

    private BuiltInPolicies() {}

    /** The names of the policies. */
    static Set<String> names() {
        return Set.of("jdbc-transient", "http-transient");
    }

    /** The policy of a name; {@code null} if there is none. */
    static @Nullable RetryLayer find(String name) {
        RetrySettings settings = switch (name) {
            case "jdbc-transient" -> jdbc();
            case "http-transient" -> http();
            default -> null;
        };
        return settings == null ? null : new RetryLayer(new SettingSource.BuiltInPolicy(name), settings);
    }

    /**
     * Conflicts between transactions, which most often succeed at once, and lost connections, which need a moment. The
     * codes are those of the SQL standard (40001, class 08) and of PostgreSQL (40P01 deadlock, 55P03 lock not available,
     * 57P01 to 57P03 server shutting down or starting).
     */
    private static RetrySettings jdbc() {
        RetrySettings.Builder policy = RetrySettings.builder()
                .set(
                        Setting.EXCEPTIONS,
                        types(
                                List.of(SQLTransientException.class, SQLRecoverableException.class),
                                "org.springframework.dao.TransientDataAccessException",
                                "org.springframework.dao.RecoverableDataAccessException",
                                "jakarta.persistence.OptimisticLockException",
                                "jakarta.persistence.PessimisticLockException",
                                "jakarta.persistence.LockTimeoutException"))
                .maxAttempts(4)
                .delay(Duration.ofMillis(50))
                .jitter(Jitter.full());
        for (String conflict : List.of("sql.40001", "sql.40P01", "sql.55P03")) {
            policy.onErrorCode(conflict, rule -> {});
        }
        for (String outage : List.of("sql.08*", "sql.57P0*")) {
            policy.onErrorCode(outage, rule -> rule.delay(Duration.ofSeconds(1)).jitter(RetryPolicy.DEFAULT_JITTER));
        }
        return policy.build();
    }

    /** The statuses that RFC 9110, 6585 and 8470 define as temporary, and failures of the connection. */
    private static RetrySettings http() {
        RetrySettings.Builder policy = RetrySettings.builder()
                .set(Setting.EXCEPTIONS, Set.of(IOException.class))
                .maxAttempts(4)
                .delay(Duration.ofMillis(500));
        for (String status : List.of("http.408", "http.425", "http.502", "http.503", "http.504")) {
            policy.onErrorCode(status, rule -> {});
        }
        policy.onErrorCode("http.429", rule -> rule.delay(Duration.ofSeconds(1)));
        return policy.build();
    }

    /** Some types, and those of the others that are on the class path. */
    private static Set<Class<? extends Throwable>> types(List<Class<? extends Throwable>> always, String... others) {
        Set<Class<? extends Throwable>> types = new LinkedHashSet<>(always);
        for (String other : others) {
            if (ClassUtils.isPresent(other, null)) {
                types.add(ClassUtils.resolveClassName(other, null).asSubclass(Throwable.class));
            }
        }
        return types;
    }
}
