// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import dev.retryon.Retry;
import dev.retryon.RetryEngine;
import dev.retryon.spring.module.ClientRetries;
import dev.retryon.spring.module.RetryFaults;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;

/**
 * Builds the settings of clients from {@code retryon.http}. Faults are recorded when the assembler is created at
 * start-up, because the clients can be created later.
 *
 * @since 0.1.0
 */
public final class HttpRetryAssembler {

    /** HTTP and common WebDAV methods. Properties accept no others, because most other names are typing errors. */
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

    private final ClientRetries retries;

    private final RetryFaults faults;

    private final @Nullable String policy;

    private final RequestRules rules;

    /**
     * Creates the assembler and checks the values.
     *
     * @param policy {@code retryon.http.policy}; {@code null} or blank if only the defaults apply
     * @param statuses {@code retryon.http.statuses}
     * @param methods {@code retryon.http.methods}
     * @param header {@code retryon.http.idempotency-key-header}
     * @param generatesKey whether {@code retryon.http.idempotency-key} is {@code generate}
     * @param retries builds the retries of clients
     * @param faults receives the faults
     */
    public HttpRetryAssembler(
            @Nullable String policy,
            List<@Nullable Integer> statuses,
            List<String> methods,
            String header,
            boolean generatesKey,
            ClientRetries retries,
            RetryFaults faults) {
        this.retries = retries;
        this.faults = faults;
        this.policy = policy == null || policy.isBlank() ? null : policy.trim();
        if (this.policy != null) {
            // The first client can be created after start-up, which is too late to report faults.
            checkPolicy();
        }
        RequestRules known = RequestRules.DEFAULTS
                .withStatuses(statuses(statuses))
                .withMethods(methods(methods))
                .withGeneratedKey(generatesKey);
        this.rules = withHeader(known, header);
        if (generatesKey && header.isBlank()) {
            faults.add(
                    "retryon.http.idempotency-key",
                    "is 'generate', but retryon.http.idempotency-key-header is empty; set the name of the header that"
                            + " your servers read, such as Idempotency-Key");
        }
    }

    private void checkPolicy() {
        retries.check(new ClientRetries.Client(
                "http", ClientRegistration.POLICY, policy, null, made -> Retry.builder("http", made), Map.of()));
    }

    private List<Integer> statuses(List<@Nullable Integer> all) {
        List<Integer> known = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (Integer status : all) {
            if (status != null && RequestRules.isStatus(status)) {
                known.add(status);
            } else {
                others.add("'" + (status == null ? "" : status) + "'");
            }
        }
        if (!others.isEmpty()) {
            faults.add(
                    "retryon.http.statuses",
                    "contains " + String.join(", ", others) + ", but must contain only numbers from 100 to 599");
        }
        return known;
    }

    private Set<HttpMethod> methods(List<String> names) {
        Set<HttpMethod> methods = new LinkedHashSet<>();
        for (String name : names) {
            String known = name.toUpperCase(Locale.ROOT);
            if (METHODS.contains(known)) {
                methods.add(HttpMethod.valueOf(known));
            } else {
                faults.add(
                        "retryon.http.methods",
                        "contains '" + name + "', but must contain only " + String.join(", ", METHODS));
            }
        }
        return methods;
    }

    private RequestRules withHeader(RequestRules known, String header) {
        try {
            return known.withIdempotencyKeyHeader(header);
        } catch (IllegalArgumentException ex) {
            faults.add(
                    "retryon.http.idempotency-key-header",
                    "is '" + header + "', but must be the name of a header such as Idempotency-Key, or empty for none");
            return known.withIdempotencyKeyHeader(null);
        }
    }

    /**
     * Builds the settings, and registers the clients that use them with the application.
     *
     * @param engine the engine that runs the calls
     * @param observations looks up the registry of the clients' observations at the first resend
     * @return the settings
     */
    public HttpRetry assemble(RetryEngine engine, Supplier<? extends @Nullable ObservationRegistry> observations) {
        // The constructor does not check defaults without a policy, because not every application has clients.
        faults.check(this::checkPolicy);
        return HttpRetry.builder()
                .engine(engine)
                .resends(new ResendCount(observations))
                .rules(rules)
                .registration(ClientRegistration.ofProperties(new ClientRegistration.Application(retries, policy)))
                .build();
    }
}
