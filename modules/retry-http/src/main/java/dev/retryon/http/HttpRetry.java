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
 * Settings for retries of HTTP requests: which requests, after which responses, and with which policy. Immutable, except
 * that in an application, the policy follows changes of its settings at run time. Thread-safe. Used by {@link
 * RetryClientHttpRequestInterceptor} and {@link RetryExchangeFilterFunction}.
 *
 * <p>A request is retried if its method is one of {@link #methods()} or if it carries the {@linkplain
 * #idempotencyKeyHeader() idempotency key}, which can be {@linkplain Builder#generateIdempotencyKey generated}; other
 * requests are not changed. Failures to connect, to send or to
 * receive a response (an {@link IOException} or a timeout) are retried. Responses with one of {@link #statuses()} are
 * retried after the wait that they request. Invalid certificates are not retried.
 *
 * @since 0.1.0
 */
public final class HttpRetry {

    /**
     * The statuses that are retried by default: request timeout, too many requests, internal server error, bad gateway,
     * service unavailable, gateway timeout. 501 and 505 are not included, because the server would answer the same
     * request in the same way.
     */
    public static final List<Integer> DEFAULT_STATUSES = List.of(408, 429, 500, 502, 503, 504);

    /** The methods that are retried by default: the idempotent methods of RFC 9110. */
    public static final List<String> DEFAULT_METHODS = List.of("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE");

    /** The default name of the header that allows retries of a request with any method. */
    public static final String DEFAULT_IDEMPOTENCY_KEY_HEADER = "Idempotency-Key";

    private final Builder settings;

    /** The current retry of the requests. A change of settings replaces it. */
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
     * Reads how long a server wants its client to wait from the exceptions of {@code RestClient}, {@code
     * RestTemplate} and {@code WebClient}: from {@code Retry-After}, or from the rate-limit headers of a 429 or 503.
     * Add it to an engine whose calls use one of these clients. The starter's engine already includes it.
     *
     * @param clock the time of day, for responses without a {@code Date}
     * @return a resolver
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
     * Returns a copy of these settings for a client with a name.
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

    /** {@return the current policy, including connection failures} */
    public RetryPolicy policy() {
        return retry().policy();
    }

    /** {@return the statuses that are retried, an immutable set} */
    public Set<Integer> statuses() {
        return settings.rules.statuses();
    }

    /** {@return the methods whose requests are retried, an immutable set} */
    public Set<HttpMethod> methods() {
        return settings.rules.methods();
    }

    /** {@return the header that allows retries of a request with any method, or {@code null} if there is none} */
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

    /** The exception for a response that must be retried; {@code null} if the response goes to the caller. */
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

    /** Builds the settings. Each setter rejects a bad value immediately. Not thread-safe. */
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
         * Sets the client's name, which is part of the name in meters, events and logs. Use the name of the server.
         * Never take it from a URL, because meters need a small set of names. The default is no name.
         *
         * @param client the name, such as {@code catalogue}; blank for none
         * @return this builder
         */
        public Builder name(String client) {
            this.name = client.trim();
            return this;
        }

        /**
         * Sets the policy. Connection failures are added to its exceptions; to remove them, use {@code
         * excludes(IOException.class)}. Its recovery and {@code retryIf} have no effect. The default is the default
         * {@link RetryPolicy}.
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
         * @param methods the methods; empty for none
         * @return this builder
         */
        public Builder methods(Collection<HttpMethod> methods) {
            this.rules = rules.withMethods(methods);
            this.registration = registration.withSettingInCode(ClientRegistration.METHODS);
            return this;
        }

        /**
         * Sets the header that allows retries of a request with any method. The default is {@value
         * HttpRetry#DEFAULT_IDEMPOTENCY_KEY_HEADER}.
         *
         * @param header the header's name; blank or {@code null} for none
         * @return this builder
         * @throws IllegalArgumentException if it is not a valid header name
         */
        public Builder idempotencyKeyHeader(@Nullable String header) {
            this.rules = rules.withIdempotencyKeyHeader(header);
            this.registration = registration.withSettingInCode(ClientRegistration.IDEMPOTENCY_KEY_HEADER);
            return this;
        }

        /**
         * Sets whether {@code POST} and {@code PATCH} requests without an {@linkplain #idempotencyKeyHeader
         * idempotency key} get one, so that they are retried. The key is the {@linkplain RetryContext#callId() id} of
         * the retried call and is the same in each attempt. Use it only if the server detects duplicates by this
         * header. The default is {@code false}. Without such a header, this has no effect.
         *
         * @param generate whether to generate a key
         * @return this builder
         */
        public Builder generateIdempotencyKey(boolean generate) {
            this.rules = rules.withGeneratedKey(generate);
            this.registration = registration.withSettingInCode(ClientRegistration.IDEMPOTENCY_KEY);
            return this;
        }

        /** Sets all rules, as read from properties. */
        Builder rules(RequestRules rules) {
            this.rules = rules;
            return this;
        }

        /** Registers the built settings with the application. Settings that follow are shown as set in code. */
        Builder registration(ClientRegistration registration) {
            this.registration = registration;
            return this;
        }

        /** Counts the resends of blocking clients. */
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
