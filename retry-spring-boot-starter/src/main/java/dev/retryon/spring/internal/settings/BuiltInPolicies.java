// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import dev.retryon.RetryPolicy;
import dev.retryon.backoff.Jitter;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingSource;
import java.io.IOException;
import java.net.MalformedURLException;
import java.security.cert.CertificateException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** The policies that every application has without configuration. */
public final class BuiltInPolicies {

    private static final List<String> DATABASE_ERRORS = List.of(
            "org.springframework.dao.ConcurrencyFailureException",
            "org.springframework.dao.TransientDataAccessResourceException",
            "org.springframework.dao.RecoverableDataAccessException",
            "jakarta.persistence.OptimisticLockException",
            "jakarta.persistence.PessimisticLockException",
            "jakarta.persistence.LockTimeoutException");

    private static final List<String> HTTP_ERRORS = List.of("io.netty.handler.timeout.TimeoutException");

    private static final List<String> BROKEN_JSON = List.of("com.fasterxml.jackson.core.JacksonException");

    /** The types that are looked up by name. */
    public static final List<String> OPTIONAL_TYPES = Stream.of(
                    DATABASE_ERRORS, HTTP_ERRORS, BROKEN_JSON, EffectiveSettings.OPEN_BREAKERS)
            .flatMap(List::stream)
            .toList();

    static final Set<String> NAMES = Set.of("jdbc-transient", "http-transient", "grpc-transient");

    private BuiltInPolicies() {}

    static @Nullable RetrySettings find(String name) {
        RetrySettings settings = switch (name) {
            case "jdbc-transient" -> jdbc();
            case "http-transient" -> http();
            case "grpc-transient" -> grpc();
            default -> null;
        };
        return settings == null ? null : settings.from(SettingSource.builtInPolicy(name));
    }

    /**
     * Returns the policy for databases: conflicts between transactions, after which the next attempt usually succeeds
     * immediately, and lost connections, which need a moment. The codes are those of the SQL standard (40001, class 08) and
     * of PostgreSQL (40P01 deadlock, 55P03 lock not available, 57P01 to 57P03 server shutting down or starting). A statement
     * that took too long is not included, because repeating it makes an overloaded database slower.
     */
    private static RetrySettings jdbc() {
        RetrySettings.Builder policy = RetrySettings.builder()
                .set(
                        Setting.EXCEPTIONS,
                        types(
                                List.of(SQLTransactionRollbackException.class, SQLRecoverableException.class),
                                DATABASE_ERRORS))
                .set(Setting.NON_RETRYABLE_ERRORS, Set.of("sql.08P01")) // a protocol violation
                .set(Setting.MAX_ATTEMPTS, 4)
                .set(Setting.DELAY, Duration.ofMillis(50))
                .set(Setting.JITTER, Jitter.full())
                .onError(ErrorKey.of(SQLTransientConnectionException.class), BuiltInPolicies::afterOutage);
        for (String conflict : List.of("sql.40001", "sql.40P01", "sql.55P03")) {
            policy.onError(ErrorKey.ofCode(conflict), rule -> {});
        }
        for (String outage : List.of("sql.08*", "sql.57P01", "sql.57P02", "sql.57P03")) {
            policy.onError(ErrorKey.ofCode(outage), BuiltInPolicies::afterOutage);
        }
        return policy.build();
    }

    private static void afterOutage(RetrySettings.Builder rule) {
        rule.set(Setting.DELAY, Duration.ofSeconds(1)).set(Setting.JITTER, RetryPolicy.DEFAULT_JITTER);
    }

    /** Returns the policy for HTTP: the statuses that RFC 9110, 6585 and 8470 define as temporary, and connection failures. */
    private static RetrySettings http() {
        RetrySettings.Builder policy = RetrySettings.builder()
                .set(Setting.EXCEPTIONS, types(List.of(IOException.class, TimeoutException.class), HTTP_ERRORS))
                .set(
                        Setting.EXCLUDES,
                        types(
                                List.of(
                                        CertificateException.class,
                                        SSLPeerUnverifiedException.class,
                                        MalformedURLException.class),
                                BROKEN_JSON))
                .set(Setting.MAX_ATTEMPTS, 4)
                .set(Setting.DELAY, Duration.ofMillis(500));
        for (String status : List.of("http.408", "http.425", "http.502", "http.503", "http.504")) {
            policy.onError(ErrorKey.ofCode(status), rule -> {});
        }
        policy.onError(ErrorKey.ofCode("http.429"), rule -> rule.set(Setting.DELAY, Duration.ofSeconds(1)));
        return policy.build();
    }

    /**
     * Returns the policy for gRPC: the statuses that gRPC's documentation calls temporary. {@code UNAVAILABLE} also reports an
     * untrusted certificate. After {@code ABORTED}, a transaction conflict, the next attempt usually succeeds immediately.
     */
    private static RetrySettings grpc() {
        return RetrySettings.builder()
                .set(
                        Setting.EXCLUDES,
                        types(List.of(CertificateException.class, SSLPeerUnverifiedException.class), List.of()))
                .set(Setting.MAX_ATTEMPTS, 4)
                .set(Setting.DELAY, Duration.ofMillis(500))
                .onError(ErrorKey.ofCode("grpc.UNAVAILABLE"), rule -> {})
                .onError(
                        ErrorKey.ofCode("grpc.RESOURCE_EXHAUSTED"),
                        rule -> rule.set(Setting.DELAY, Duration.ofSeconds(1)))
                .onError(
                        ErrorKey.ofCode("grpc.ABORTED"),
                        rule -> rule.set(Setting.DELAY, Duration.ofMillis(50)).set(Setting.JITTER, Jitter.full()))
                .build();
    }

    private static Set<Class<? extends Throwable>> types(List<Class<? extends Throwable>> always, List<String> others) {
        Set<Class<? extends Throwable>> types = new LinkedHashSet<>(always);
        types.addAll(EffectiveSettings.present(others));
        return types;
    }
}
