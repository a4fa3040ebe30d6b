// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import dev.retryon.RetryContext;
import dev.retryon.RetryHint;
import dev.retryon.RetryHintResolver;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.reactive.function.client.WebClientResponseException;

/**
 * The error codes of databases, {@code sql.<SQLSTATE>}, of Spring's HTTP clients, {@code http.<status>}, and of gRPC,
 * {@code grpc.<STATUS>}. The hints of gRPC also contain the delays that servers request. A {@code DataAccessException} is
 * matched by the code of its cause.
 */
public final class StandardHints implements RetryHintResolver {

    private static final String REST_CLIENT = "org.springframework.web.client.RestClientResponseException";

    private static final String WEB_CLIENT =
            "org.springframework.web.reactive.function.client.WebClientResponseException";

    private static final String GRPC = "io.grpc.StatusRuntimeException";

    private static final String RETRY_INFO = "com.google.rpc.RetryInfo";

    /** The types that are looked up by name. */
    public static final List<String> OPTIONAL_TYPES = List.of(REST_CLIENT, WEB_CLIENT, GRPC, RETRY_INFO);

    private static final String UNSPECIFIC = "HY000";

    private static final String SERIALIZATION_FAILURE = "40001";

    /**
     * Codes of MySQL and MariaDB without a specific SQLSTATE: a record has changed since it was read, a lock was not released in
     * time, or a lock was not immediately available. MySQL's driver reports the second one as a serialization failure.
     */
    private static final Set<Integer> CONFLICTS = Set.of(1020, 1205, 3572);

    private static final boolean HAS_GRPC = isPresent(GRPC);

    static final boolean HAS_RETRY_INFO = isPresent(RETRY_INFO);

    private static final boolean HAS_REST_CLIENT = isPresent(REST_CLIENT);

    private static final boolean HAS_WEB_CLIENT = isPresent(WEB_CLIENT);

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, StandardHints.class.getClassLoader());
    }

    @Override
    public @Nullable RetryHint resolve(Throwable error, RetryContext context) {
        if (error instanceof SQLException sql) {
            String state = UNSPECIFIC.equals(sql.getSQLState()) && CONFLICTS.contains(sql.getErrorCode())
                    ? SERIALIZATION_FAILURE
                    : sql.getSQLState();
            return state == null || state.isBlank() ? null : RetryHint.ofErrorCode("sql." + state);
        }
        if (HAS_REST_CLIENT && error instanceof RestClientResponseException response) {
            return RetryHint.ofErrorCode("http." + response.getStatusCode().value());
        }
        if (HAS_WEB_CLIENT && error instanceof WebClientResponseException response) {
            return RetryHint.ofErrorCode("http." + response.getStatusCode().value());
        }
        return HAS_GRPC ? GrpcHint.of(error) : null;
    }
}
