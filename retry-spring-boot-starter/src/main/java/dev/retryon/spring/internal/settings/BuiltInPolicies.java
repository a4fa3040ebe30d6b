// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import dev.retryon.RetryPolicy;
import dev.retryon.backoff.Jitter;
import dev.retryon.spring.RetrySettings;
import dev.retryon.spring.RetrySettingsBuilder;
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
import org.springframework.util.ClassUtils;

/** The policies that every application has without configuring them. */
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
    public static final List<String> OPTIONAL_TYPES = Stream.of(DATABASE_ERRORS, HTTP_ERRORS, BROKEN_JSON)
            .flatMap(List::stream)
            .toList();

    private BuiltInPolicies() {}

    static @Nullable RetryLayer find(String name) {
        RetrySettings settings = switch (name) {
            case "jdbc-transient" -> jdbc();
            case "http-transient" -> http();
            case "grpc-transient" -> grpc();
            default -> null;
        };
        return settings == null ? null : new RetryLayer(SettingSource.builtInPolicy(name), settings);
    }

    /**
     * Conflicts between transactions, which most often succeed at once, and lost connections, which need a moment. The
     * codes are those of the SQL standard (40001, class 08) and of PostgreSQL (40P01 deadlock, 55P03 lock not available,
     * 57P01 to 57P03 server shutting down or starting). A statement that took too long is not among them: repeating it
     * makes an overloaded database slower.
     */
    private static RetrySettings jdbc() {
        RetrySettingsBuilder policy = RetrySettings.builder()
                .set(
                        Setting.EXCEPTIONS,
                        types(
                                List.of(SQLTransactionRollbackException.class, SQLRecoverableException.class),
                                DATABASE_ERRORS))
                .nonRetryableErrors("sql.08P01") // a protocol violation
                .maxAttempts(4)
                .delay(Duration.ofMillis(50))
                .jitter(Jitter.full())
                .onError(SQLTransientConnectionException.class, BuiltInPolicies::afterOutage);
        for (String conflict : List.of("sql.40001", "sql.40P01", "sql.55P03")) {
            policy.onErrorCode(conflict, rule -> {});
        }
        for (String outage : List.of("sql.08*", "sql.57P01", "sql.57P02", "sql.57P03")) {
            policy.onErrorCode(outage, BuiltInPolicies::afterOutage);
        }
        return policy.build();
    }

    private static void afterOutage(RetrySettingsBuilder rule) {
        rule.delay(Duration.ofSeconds(1)).jitter(RetryPolicy.DEFAULT_JITTER);
    }

    /** The statuses that RFC 9110, 6585 and 8470 define as temporary, and failures of the connection. */
    private static RetrySettings http() {
        RetrySettingsBuilder policy = RetrySettings.builder()
                .set(Setting.EXCEPTIONS, types(List.of(IOException.class, TimeoutException.class), HTTP_ERRORS))
                .set(
                        Setting.EXCLUDES,
                        types(
                                List.of(
                                        CertificateException.class,
                                        SSLPeerUnverifiedException.class,
                                        MalformedURLException.class),
                                BROKEN_JSON))
                .maxAttempts(4)
                .delay(Duration.ofMillis(500));
        for (String status : List.of("http.408", "http.425", "http.502", "http.503", "http.504")) {
            policy.onErrorCode(status, rule -> {});
        }
        policy.onErrorCode("http.429", rule -> rule.delay(Duration.ofSeconds(1)));
        return policy.build();
    }

    /**
     * The statuses that gRPC's documentation calls temporary. {@code UNAVAILABLE} also reports a certificate that is
     * not trusted. {@code ABORTED} is a conflict between transactions, which most often succeeds at once.
     */
    private static RetrySettings grpc() {
        return RetrySettings.builder()
                .excludes(CertificateException.class, SSLPeerUnverifiedException.class)
                .maxAttempts(4)
                .delay(Duration.ofMillis(500))
                .onErrorCode("grpc.UNAVAILABLE", rule -> {})
                .onErrorCode("grpc.RESOURCE_EXHAUSTED", rule -> rule.delay(Duration.ofSeconds(1)))
                .onErrorCode(
                        "grpc.ABORTED",
                        rule -> rule.delay(Duration.ofMillis(50)).jitter(Jitter.full()))
                .build();
    }

    private static Set<Class<? extends Throwable>> types(List<Class<? extends Throwable>> always, List<String> others) {
        Set<Class<? extends Throwable>> types = new LinkedHashSet<>(always);
        for (String other : others) {
            if (ClassUtils.isPresent(other, null)) {
                types.add(ClassUtils.resolveClassName(other, null).asSubclass(Throwable.class));
            }
        }
        return types;
    }
}
