/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.http;

import dev.retryon.RetryEngine;
import dev.retryon.spring.internal.policy.PolicyFactory;
import dev.retryon.spring.internal.policy.StandaloneRetries;
import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.report.Suggestion;
import io.micrometer.observation.ObservationRegistry;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;

/**
 * Builds the settings of clients from {@code retryon.http}. Faults are recorded when the assembler is created, at
 * start-up, because the clients may be created later.
 *
 * @since 0.1.0
 */
public final class HttpRetryAssembler {

    /**
     * The methods of HTTP, and the common ones of WebDAV. Properties accept no others, because these are mostly
     * mistyped.
     */
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

    private final PolicyFactory policies;

    private final RetryFaults faults;

    private final @Nullable String policy;

    private final List<Integer> statuses;

    private final Set<HttpMethod> methods = new LinkedHashSet<>();

    private final @Nullable String idempotencyKeyHeader;

    private final boolean generatesKey;

    /**
     * Creates the assembler and checks the values.
     *
     * @param policy {@code retryon.http.policy}; {@code null} or blank for the defaults alone
     * @param statuses {@code retryon.http.statuses}
     * @param methods {@code retryon.http.methods}
     * @param header {@code retryon.http.idempotency-key-header}
     * @param generatesKey whether {@code retryon.http.idempotency-key} is {@code generate}
     * @param policies builds the policy
     * @param faults receives the faults
     */
    public HttpRetryAssembler(
            @Nullable String policy,
            List<@Nullable Integer> statuses,
            List<String> methods,
            String header,
            boolean generatesKey,
            PolicyFactory policies,
            RetryFaults faults) {
        this.policies = policies;
        this.faults = faults;
        this.policy = policy == null || policy.isBlank() ? null : policy.trim();
        if (this.policy != null) {
            // Clients may be made after the start, which is too late to report faults.
            policies.policyOfClients(this.policy);
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
        this.generatesKey = generatesKey;
        if (generatesKey && header.isBlank()) {
            faults.add(
                    "retryon.http.idempotency-key",
                    "is 'generate', but retryon.http.idempotency-key-header is empty; set the name of the header that"
                            + " your servers read, such as Idempotency-Key");
        }
    }

    private static boolean isStatus(@Nullable Integer status) {
        return status != null && isAccepted(builder -> builder.statuses(List.of(status)));
    }

    /** Whether the builder accepts a value. */
    private static boolean isAccepted(Consumer<HttpRetry.Builder> setting) {
        try {
            setting.accept(HttpRetry.builder());
            return true;
        } catch (IllegalArgumentException ex) {
            return false;
        }
    }

    /**
     * Builds the settings, and registers clients that use them with the application.
     *
     * @param engine the engine that runs the calls
     * @param known receives each client
     * @param observations looks up the registry of the clients' observations at the first resend
     * @return the settings
     */
    public HttpRetry assemble(
            RetryEngine engine,
            StandaloneRetries known,
            Supplier<? extends @Nullable ObservationRegistry> observations) {
        HttpRetry.Builder builder = HttpRetry.builder().engine(engine).resends(new ResendCount(observations));
        faults.check(() -> builder.policy(policies.policyOfClients(policy)));
        return builder.statuses(statuses)
                .methods(methods)
                .idempotencyKeyHeader(idempotencyKeyHeader)
                .generateIdempotencyKey(generatesKey)
                .registration(ClientRegistration.ofProperties(
                        known, policies.settingsOfClients(policy), policies.listenerOfClients(policy)))
                .build();
    }
}
