/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Retries of HTTP requests. Knows nothing of Spring's HTTP types, nor of ours that do: they may not be there. */
class RetryHttpProperties {

    /**
     * Whether the clients of Boot's RestClient.Builder, RestTemplateBuilder and HTTP service groups retry. Default false.
     */
    private boolean enabled;

    /** Name of a policy under retryon.policies. Default: the settings under retryon.defaults. */
    private @Nullable String policy;

    /** Response statuses that are retried; empty for none. */
    private List<Integer> statuses = new ArrayList<>(List.of(408, 429, 500, 502, 503, 504));

    /** Methods whose requests are retried. Name others than the default only where the server copes with repetition. */
    private List<String> methods = new ArrayList<>(List.of("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"));

    /** Header that makes a request of any method one that may be retried; empty for none. */
    private String idempotencyKeyHeader = "Idempotency-Key";

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public @Nullable String getPolicy() {
        return policy;
    }

    public void setPolicy(@Nullable String policy) {
        this.policy = policy;
    }

    public List<Integer> getStatuses() {
        return statuses;
    }

    public void setStatuses(List<Integer> statuses) {
        this.statuses = statuses.stream()
                .filter(Objects::nonNull)
                .filter(status -> !status.equals(RetryBindHandlerAdvisor.UNREADABLE_STATUS))
                .toList();
    }

    public List<String> getMethods() {
        return methods;
    }

    public void setMethods(List<String> methods) {
        this.methods = methods.stream().filter(method -> !method.isBlank()).toList();
    }

    public String getIdempotencyKeyHeader() {
        return idempotencyKeyHeader;
    }

    public void setIdempotencyKeyHeader(String idempotencyKeyHeader) {
        this.idempotencyKeyHeader = idempotencyKeyHeader;
    }
}
