/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.http;

import dev.retryon.RetryEngine;
import dev.retryon.spring.method.NamedPolicies;
import dev.retryon.spring.method.RetriedMethods;
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
 * Makes the settings of clients from {@code retryon.http}. What is wrong there is recorded when the assembler is made, which
 * is at start-up: the clients may be made later.
 *
 * @since 0.1.0
 */
public final class HttpRetryAssembler {

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

    /**
     * Creates the assembler and checks the values.
     *
     * @param policy {@code retryon.http.policy}; {@code null} or blank for the defaults alone
     * @param statuses {@code retryon.http.statuses}
     * @param methods {@code retryon.http.methods}
     * @param header {@code retryon.http.idempotency-key-header}
     * @param policies makes the policy
     * @param faults takes what is wrong
     */
    public HttpRetryAssembler(
            @Nullable String policy,
            List<@Nullable Integer> statuses,
            List<String> methods,
            String header,
            NamedPolicies policies,
            RetryFaults faults) {
        this.policies = policies;
        this.faults = faults;
        this.policy = policy == null || policy.isBlank() ? null : policy.trim();
        if (this.policy != null) {
            // Clients may be made after the start, which is too late to report faults.
            policies.policy("http", POLICY, this.policy);
        }
        this.statuses = statuses.stream().filter(HttpRetryAssembler::isStatus).toList();
        String others = statuses.stream()
                .filter(status -> !isStatus(status))
                .map(status -> "'" + (status == null ? "" : status) + "'")
                .collect(Collectors.joining(", "));
        if (!others.isEmpty()) {
            faults.add("retryon.http.statuses", "has " + others + ", but must have only numbers from 100 to 599");
        }
        for (String method : methods) {
            String known = method.toUpperCase(Locale.ROOT);
            if (METHODS.contains(known)) {
                this.methods.add(HttpMethod.valueOf(known));
            } else {
                faults.add(
                        "retryon.http.methods",
                        "has '" + method + "', but must have only " + METHODS + Suggestion.of(method, METHODS));
            }
        }
        boolean isHeader = isAccepted(builder -> builder.idempotencyKeyHeader(header));
        this.idempotencyKeyHeader = isHeader ? header : null;
        if (!isHeader) {
            faults.add(
                    "retryon.http.idempotency-key-header",
                    "is '" + header + "', but must be the name of a header such as Idempotency-Key, or empty for none");
        }
    }

    private static boolean isStatus(@Nullable Integer status) {
        return status != null && isAccepted(builder -> builder.statuses(List.of(status)));
    }

    /** Whether the builder takes a value. */
    private static boolean isAccepted(Consumer<HttpRetry.Builder> setting) {
        try {
            setting.accept(HttpRetry.builder());
            return true;
        } catch (IllegalArgumentException ex) {
            return false;
        }
    }

    /**
     * Makes the settings, and makes clients that have them known to the application.
     *
     * @param engine who runs the calls
     * @param known has the counters of each name and the known clients
     * @return the settings
     */
    public HttpRetry assemble(RetryEngine engine, RetriedMethods known) {
        HttpRetry.Builder builder = HttpRetry.builder().engine(engine);
        faults.check(() -> builder.policy(policies.policy("http", POLICY, policy)));
        return builder.statuses(statuses)
                .methods(methods)
                .idempotencyKeyHeader(idempotencyKeyHeader)
                .registration(ClientRegistration.ofProperties(
                        known, policies.settings(POLICY, policy), policies.listener(POLICY, policy)))
                .build();
    }
}
