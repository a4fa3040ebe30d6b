// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Retries of HTTP requests. Refers neither to Spring's HTTP types nor to RetryOn types that do: they may be absent. */
@ConfigurationProperties("retryon.http")
class RetryHttpProperties {

    /** Whether the clients of Boot's RestClient.Builder, RestTemplateBuilder and HTTP service groups retry requests. */
    private boolean enabled;

    /** Name of a policy in retryon.policies. If not set, retryon.defaults applies. */
    private @Nullable String policy;

    /** Response statuses to retry, from 100 to 599. Empty for none. */
    private List<Integer> statuses = new ArrayList<>(List.of(408, 429, 500, 502, 503, 504));

    /** HTTP methods whose requests are retried. Add other methods only if the server tolerates duplicate requests. */
    private List<String> methods = new ArrayList<>(List.of("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"));

    /** Name of the header that allows retries of a request with any method. Empty for none. */
    private String idempotencyKeyHeader = "Idempotency-Key";

    /** Origin of the idempotency key of POST and PATCH requests. */
    private IdempotencyKey idempotencyKey = IdempotencyKey.GIVEN;

    /** Origins of idempotency keys. */
    enum IdempotencyKey {

        /** The application sets the header. Requests without it are not retried. */
        GIVEN,

        /** Requests without the header get the ID of their call, the same in each attempt. */
        GENERATE
    }

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
        this.statuses = statuses.stream().filter(Objects::nonNull).toList();
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

    public IdempotencyKey getIdempotencyKey() {
        return idempotencyKey;
    }

    public void setIdempotencyKey(IdempotencyKey idempotencyKey) {
        this.idempotencyKey = idempotencyKey;
    }
}
