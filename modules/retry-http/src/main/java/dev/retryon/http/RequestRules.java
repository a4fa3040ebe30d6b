// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;

/**
 * Decides which requests are retried, and after which responses. Immutable.
 *
 * @param idempotencyKeyHeader the header with which a request of any method is retried; {@code null} for none
 * @param generatesKey whether POST and PATCH requests without that header get a generated one
 */
record RequestRules(
        Set<Integer> statuses,
        Set<HttpMethod> methods,
        @Nullable String idempotencyKeyHeader,
        boolean generatesKey) {

    static final RequestRules DEFAULTS = new RequestRules(
            new LinkedHashSet<>(HttpRetry.DEFAULT_STATUSES),
            methods(HttpRetry.DEFAULT_METHODS),
            HttpRetry.DEFAULT_IDEMPOTENCY_KEY_HEADER,
            false);

    /** The methods whose requests get a key. A key does not make other methods idempotent. */
    private static final Set<HttpMethod> WITH_GENERATED_KEY = Set.of(HttpMethod.POST, HttpMethod.PATCH);

    /** The header names that RFC 9110 allows. */
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

    RequestRules {
        statuses = Collections.unmodifiableSet(statuses);
        methods = Collections.unmodifiableSet(methods);
    }

    private static Set<HttpMethod> methods(List<String> names) {
        Set<HttpMethod> methods = new LinkedHashSet<>();
        names.forEach(name -> methods.add(HttpMethod.valueOf(name)));
        return methods;
    }

    RequestRules withStatuses(Collection<Integer> others) {
        for (Integer status : others) {
            if (!isStatus(status)) {
                throw new IllegalArgumentException(
                        "'statuses' contains '" + status + "', but must contain only numbers from 100 to 599");
            }
        }
        return new RequestRules(new LinkedHashSet<>(others), methods, idempotencyKeyHeader, generatesKey);
    }

    static boolean isStatus(int number) {
        return number >= 100 && number <= 599;
    }

    RequestRules withMethods(Collection<HttpMethod> others) {
        return new RequestRules(statuses, new LinkedHashSet<>(others), idempotencyKeyHeader, generatesKey);
    }

    RequestRules withIdempotencyKeyHeader(@Nullable String header) {
        String name = header == null || header.isBlank() ? null : header.trim();
        if (name != null && !TOKEN.matcher(name).matches()) {
            throw new IllegalArgumentException("idempotencyKeyHeader is '" + header
                    + "', but must be the name of a header such as " + HttpRetry.DEFAULT_IDEMPOTENCY_KEY_HEADER);
        }
        return new RequestRules(statuses, methods, name, generatesKey);
    }

    RequestRules withGeneratedKey(boolean generates) {
        return new RequestRules(statuses, methods, idempotencyKeyHeader, generates);
    }

    boolean retry(HttpMethod method, HttpHeaders headers) {
        return methods.contains(method)
                || (idempotencyKeyHeader != null && headers.containsHeader(idempotencyKeyHeader))
                || headerToGenerate(method, headers) != null;
    }

    /** Returns the header that a request needs before it is sent, or {@code null} for none. */
    @Nullable String headerToGenerate(HttpMethod method, HttpHeaders headers) {
        return generatesKey
                        && idempotencyKeyHeader != null
                        && WITH_GENERATED_KEY.contains(method)
                        && !headers.containsHeader(idempotencyKeyHeader)
                ? idempotencyKeyHeader
                : null;
    }

    boolean refuse(HttpStatusCode status) {
        return statuses.contains(status.value());
    }
}
