/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.RetryEngine;
import dev.retryon.spring.http.HttpRetry;
import dev.retryon.spring.method.NamedPolicies;
import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.settings.Suggestion;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;

/**
 * Hands {@code retryon.http} to what retries requests. Notes what is wrong there when it is made, which is at start-up, for
 * requests may be retried only by clients that are made later.
 */
final class HttpRetryAssembler {

    private static final String POLICY = "retryon.http.policy";

    /** Those of HTTP, and of WebDAV what clients use. Others are not read from properties, where most would be slips. */
    private static final Set<String> METHODS = new TreeSet<>(List.of(
            "GET",
            "HEAD",
            "OPTIONS",
            "PUT",
            "DELETE",
            "TRACE",
            "POST",
            "PATCH",
            "QUERY",
            "COPY",
            "LOCK",
            "MKCOL",
            "MOVE",
            "PROPFIND",
            "PROPPATCH",
            "REPORT",
            "SEARCH",
            "UNLOCK"));

    private final NamedPolicies policies;

    private final RetryFaults faults;

    private final @Nullable String policy;

    private final List<Integer> statuses;

    private final Set<HttpMethod> methods = new LinkedHashSet<>();

    private final @Nullable String idempotencyKeyHeader;

    HttpRetryAssembler(RetryHttpProperties properties, NamedPolicies policies, RetryFaults faults) {
        this.policies = policies;
        this.faults = faults;
        String name = properties.getPolicy();
        this.policy = name == null || name.isBlank() ? null : name.trim();
        if (policy != null) {
            // Clients may be made after the start, which is too late to report faults.
            policies.policy("http", POLICY, policy);
        }
        this.statuses = properties.getStatuses().stream().filter(this::isStatus).toList();
        String others = properties.getStatuses().stream()
                .filter(status -> !isStatus(status))
                .map(status -> "'" + (status == null ? "" : status) + "'")
                .collect(Collectors.joining(", "));
        if (!others.isEmpty()) {
            faults.add("retryon.http.statuses", "has " + others + ", but must have only numbers from 100 to 599");
        }
        for (String method : properties.getMethods()) {
            String known = method.toUpperCase(Locale.ROOT);
            if (METHODS.contains(known)) {
                methods.add(HttpMethod.valueOf(known));
            } else {
                faults.add(
                        "retryon.http.methods",
                        "has '" + method + "', but must have only " + METHODS + Suggestion.of(method, METHODS));
            }
        }
        String header = properties.getIdempotencyKeyHeader();
        boolean isHeader = isAccepted(builder -> builder.idempotencyKeyHeader(header));
        this.idempotencyKeyHeader = isHeader ? header : null;
        if (!isHeader) {
            faults.add(
                    "retryon.http.idempotency-key-header",
                    "is '" + header + "', but must be the name of a header such as Idempotency-Key, or empty for none");
        }
    }

    private boolean isStatus(@Nullable Integer status) {
        return status != null && isAccepted(builder -> builder.statuses(List.of(status)));
    }

    /** Asks those who have to live with it. */
    private static boolean isAccepted(Consumer<HttpRetry.Builder> setting) {
        try {
            setting.accept(HttpRetry.builder());
            return true;
        } catch (IllegalArgumentException ex) {
            return false;
        }
    }

    /** Which requests are retried, and how. */
    HttpRetry.Builder builder(RetryEngine engine) {
        HttpRetry.Builder builder = HttpRetry.builder().engine(engine);
        faults.check(() -> builder.policy(policies.policy("http", POLICY, policy)));
        return builder.statuses(statuses)
                .methods(methods)
                .idempotencyKeyHeader(idempotencyKeyHeader)
                .fromProperties(policies.settings(POLICY, policy));
    }
}
