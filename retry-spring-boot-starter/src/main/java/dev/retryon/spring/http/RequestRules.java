/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.http;

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
 * Which requests are retried, and after which responses. Immutable.
 *
 * @param statuses the statuses of responses that are retried
 * @param methods the methods whose requests are retried
 * @param idempotencyKeyHeader the header with which a request of any method is retried; {@code null} for none
 */
record RequestRules(
        Set<Integer> statuses,
        Set<HttpMethod> methods,
        @Nullable String idempotencyKeyHeader) {

    static final RequestRules DEFAULTS = new RequestRules(
            new LinkedHashSet<>(HttpRetry.DEFAULT_STATUSES),
            methods(HttpRetry.DEFAULT_METHODS),
            HttpRetry.DEFAULT_IDEMPOTENCY_KEY_HEADER);

    /** What RFC 9110 lets a header be called. */
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
            if (status < 100 || status > 599) {
                throw new IllegalArgumentException(
                        "statuses has '" + status + "', but must have only numbers from 100 to 599");
            }
        }
        return new RequestRules(new LinkedHashSet<>(others), methods, idempotencyKeyHeader);
    }

    RequestRules withMethods(Collection<HttpMethod> others) {
        return new RequestRules(statuses, new LinkedHashSet<>(others), idempotencyKeyHeader);
    }

    RequestRules withIdempotencyKeyHeader(@Nullable String header) {
        String name = header == null || header.isBlank() ? null : header.trim();
        if (name != null && !TOKEN.matcher(name).matches()) {
            throw new IllegalArgumentException("idempotencyKeyHeader is '" + header
                    + "', but must be the name of a header such as " + HttpRetry.DEFAULT_IDEMPOTENCY_KEY_HEADER);
        }
        return new RequestRules(statuses, methods, name);
    }

    /** Whether a request may be sent more than once. */
    boolean retry(HttpMethod method, HttpHeaders headers) {
        return methods.contains(method)
                || (idempotencyKeyHeader != null && headers.containsHeader(idempotencyKeyHeader));
    }

    /** Whether a response leads to another attempt. */
    boolean refuse(HttpStatusCode status) {
        return statuses.contains(status.value());
    }
}
