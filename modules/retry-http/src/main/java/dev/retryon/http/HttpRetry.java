// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import dev.retryon.Retry;
import dev.retryon.RetryContext;
import dev.retryon.RetryEngine;
import dev.retryon.RetryHintResolver;
import dev.retryon.RetryPolicy;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;

/**
 * Settings for retries of HTTP requests: which requests and responses are retried, and with which policy.
 * {@link RetryClientHttpRequestInterceptor} and {@link RetryExchangeFilterFunction} use these settings. The settings
 * are immutable, but in an application, their policy follows changes at run time. Thread-safe.
 *
 * <p>A request is retried if its method is one of {@link #methods()} or if it contains the
 * {@linkplain #idempotencyKeyHeader() idempotency key}, which can be
 * {@linkplain Builder#generateIdempotencyKey generated}. Other requests are not changed. Failures to connect, to send
 * the request or to receive the response (an {@link IOException} or a timeout) are retried, but invalid certificates
 * are not. Responses with one of {@link #statuses()} are retried after the wait that they request.
 *
 * @since 0.1.0
 */
public final class HttpRetry {

    /**
     * The statuses that are retried by default: request timeout, too many requests, internal server error, bad gateway,
     * service unavailable and gateway timeout. The statuses 501 and 505 are not included, because the server would
     * respond to the same request in the same way.
     */
    public static final List<Integer> DEFAULT_STATUSES = List.of(408, 429, 500, 502, 503, 504);

    /** The methods that are retried by default: the idempotent methods of RFC 9110. */
    public static final List<String> DEFAULT_METHODS = List.of("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE");

    /** The default name of the header that allows retries of a request regardless of its method. */
    public static final String DEFAULT_IDEMPOTENCY_KEY_HEADER = "Idempotency-Key";

    private final Builder settings;

    /** The current retry of the requests, which a change of settings replaces. */
    private final Supplier<Retry> retry;

    private HttpRetry(Builder builder) {
        this.settings = new Builder(builder);
        String name = builder.name.isEmpty() ? "http" : "http " + builder.name;
        RetryEngine engine = builder.engine;
        this.retry = builder.registration.add(name, builder.policy, builder.rules, policy -> {
            RetryPolicy requests = ConnectionFailures.addTo(policy);
            return Retry.builder(name, requests).engine(engine).listener(new ConnectionRelease(requests));
        });
    }

    /**
     * Returns a resolver that reads how long a server wants its client to wait. It supports the exceptions of
     * {@code RestClient}, {@code RestTemplate} and {@code WebClient}, and reads {@code Retry-After}, or the rate-limit
     * headers of a 429 or 503. Add it to an engine whose calls use one of these clients. The starter's engine already
     * includes it.
     *
     * @param clock the clock for responses without a {@code Date} header
     * @return the resolver
     */
    public static RetryHintResolver hintResolver(Clock clock) {
        return new HttpHintResolver(clock);
    }

    /** {@return a builder with the defaults: three attempts and exponential backoff from one second} */
    public static Builder builder() {
        return new Builder();
    }

    /** {@return a builder with these settings} */
    public Builder toBuilder() {
        return new Builder(settings);
    }

    /**
     * Returns a copy of these settings for a named client.
     *
     * @param client the client's name; see {@link Builder#name}
     * @return the settings with that name
     */
    public HttpRetry named(String client) {
        return toBuilder().name(client).build();
    }

    /** {@return the name in meters, events and logs: {@code http}, or {@code http} and the client's name} */
    public String name() {
        return retry().name();
    }

    /** {@return the current policy, which includes connection failures} */
    public RetryPolicy policy() {
        return retry().policy();
    }

    /** {@return the statuses that are retried, as an immutable set} */
    public Set<Integer> statuses() {
        return settings.rules.statuses();
    }

    /** {@return the methods whose requests are retried, as an immutable set} */
    public Set<HttpMethod> methods() {
        return settings.rules.methods();
    }

    /** {@return the header that allows retries of a request regardless of its method, or {@code null} if no header does} */
    public @Nullable String idempotencyKeyHeader() {
        return settings.rules.idempotencyKeyHeader();
    }

    /** {@return whether {@code POST} and {@code PATCH} requests get an idempotency key if they have none} */
    public boolean generatesIdempotencyKey() {
        return settings.rules.generatesKey();
    }

    RequestRules rules() {
        return settings.rules;
    }

    Retry retry() {
        return retry.get();
    }

    ResendCount resends() {
        return settings.resends;
    }

    /** Returns the exception for a response that must be retried, or {@code null} if the response goes to the caller. */
    @Nullable RetryableResponseException refuse(HttpStatusCode status, HttpHeaders headers, Consumer<Duration> release) {
        return settings.rules.refuse(status)
                ? new RetryableResponseException(
                        status, headers, RetryAfterHeaders.read(status.value(), headers, Clock.systemUTC()), release)
                : null;
    }

    @Override
    public String toString() {
        return retry() + ", methods " + methods() + ", statuses " + statuses();
    }

    /** Builds the settings. Each setter rejects an invalid value immediately. Not thread-safe. */
    public static final class Builder {

        private String name = "";

        private RetryPolicy policy = RetryPolicy.builder().build();

        private RetryEngine engine = RetryEngine.shared();

        private RequestRules rules = RequestRules.DEFAULTS;

        private ClientRegistration registration = ClientRegistration.NONE;

        private ResendCount resends = ResendCount.NONE;

        private Builder() {}

        private Builder(Builder other) {
            this.name = other.name;
            this.policy = other.policy;
            this.engine = other.engine;
            this.rules = other.rules;
            this.registration = other.registration;
            this.resends = other.resends;
        }

        /**
         * Sets the client's name, which becomes part of the name in meters, events and logs. Use the name of the
         * server. Do not derive the name from a URL, because meters require a small set of names. By default, no name
         * is set.
         *
         * @param client the name, such as {@code catalogue}; blank for no name
         * @return this builder
         */
        public Builder name(String client) {
            this.name = client.trim();
            return this;
        }

        /**
         * Sets the policy. Connection failures are added to its exceptions; to remove them, use
         * {@code excludes(IOException.class)}. The recovery and {@code retryIf} of the policy have no effect. If no
         * policy is set, the default {@link RetryPolicy} applies.
         *
         * @param policy the policy
         * @return this builder
         */
        public Builder policy(RetryPolicy policy) {
            this.policy = Objects.requireNonNull(policy, "policy");
            this.registration = registration.withPolicyInCode();
            return this;
        }

        /**
         * Sets the engine that runs the calls. The default is the {@linkplain RetryEngine#shared() shared engine}.
         *
         * @param engine the engine
         * @return this builder
         */
        public Builder engine(RetryEngine engine) {
            this.engine = Objects.requireNonNull(engine, "engine");
            return this;
        }

        /**
         * Sets the statuses of responses to retry. The default is {@link HttpRetry#DEFAULT_STATUSES}.
         *
         * @param statuses status codes from 100 to 599; empty to retry only connection failures
         * @return this builder
         * @throws IllegalArgumentException if a number is not a status code
         */
        public Builder statuses(Collection<Integer> statuses) {
            this.rules = rules.withStatuses(statuses);
            this.registration = registration.withSettingInCode(ClientRegistration.STATUSES);
            return this;
        }

        /**
         * Sets the methods whose requests are retried without an idempotency key. List {@code POST} only if the
         * server tolerates duplicate requests. The default is {@link HttpRetry#DEFAULT_METHODS}.
         *
         * @param methods the methods; empty for no methods
         * @return this builder
         */
        public Builder methods(Collection<HttpMethod> methods) {
            this.rules = rules.withMethods(methods);
            this.registration = registration.withSettingInCode(ClientRegistration.METHODS);
            return this;
        }

        /**
         * Sets the header that allows retries of a request regardless of its method. The default is {@value
         * HttpRetry#DEFAULT_IDEMPOTENCY_KEY_HEADER}.
         *
         * @param header the header's name; blank or {@code null} for no header
         * @return this builder
         * @throws IllegalArgumentException if the header name is not valid
         */
        public Builder idempotencyKeyHeader(@Nullable String header) {
            this.rules = rules.withIdempotencyKeyHeader(header);
            this.registration = registration.withSettingInCode(ClientRegistration.IDEMPOTENCY_KEY_HEADER);
            return this;
        }

        /**
         * Sets whether {@code POST} and {@code PATCH} requests without an
         * {@linkplain #idempotencyKeyHeader idempotency key} get a generated key and are therefore retried. The key is
         * the {@linkplain RetryContext#callId() id} of the retried call and is the same in each attempt. Generate keys
         * only if the server detects duplicates by this header. The default is {@code false}. Without such a header,
         * this setting has no effect.
         *
         * @param generate whether to generate a key
         * @return this builder
         */
        public Builder generateIdempotencyKey(boolean generate) {
            this.rules = rules.withGeneratedKey(generate);
            this.registration = registration.withSettingInCode(ClientRegistration.IDEMPOTENCY_KEY);
            return this;
        }

        Builder rules(RequestRules rules) {
            this.rules = rules;
            return this;
        }

        /** Registers the built settings with the application. Settings that are changed later are shown as set in code. */
        Builder registration(ClientRegistration registration) {
            this.registration = registration;
            return this;
        }

        Builder resends(ResendCount resends) {
            this.resends = resends;
            return this;
        }

        /** {@return the built settings} */
        public HttpRetry build() {
            return new HttpRetry(this);
        }
    }
}
