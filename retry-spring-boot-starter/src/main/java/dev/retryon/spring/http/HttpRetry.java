/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.http;

import dev.retryon.Retry;
import dev.retryon.RetryAfterResolver;
import dev.retryon.RetryBuilder;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;

/**
 * Which HTTP requests are retried, after which responses, and under what policy. Immutable and thread-safe. Used by {@link
 * RetryClientHttpRequestInterceptor} and {@link RetryExchangeFilterFunction}.
 *
 * <p>A request is retried if its method is one of {@link #methods()} or if it carries the {@linkplain
 * #idempotencyKeyHeader() idempotency key}; others pass through untouched. A failure to connect, to send or to get a
 * response (an {@link IOException}, a time-out) is retried, and a response whose status is one of {@link #statuses()},
 * after the wait that it asks for. Certificates that don't check are not retried.
 *
 * @since 0.1.0
 */
public final class HttpRetry {

    /**
     * The statuses that are retried by default: request timeout, too many requests, internal server error, bad gateway,
     * service unavailable, gateway timeout. Not 501 and 505, which mean that the server does not support the request: the
     * same request gets the same answer.
     */
    public static final List<Integer> DEFAULT_STATUSES = List.of(408, 429, 500, 502, 503, 504);

    /** The methods that are retried by default: those that RFC 9110 calls idempotent. */
    public static final List<String> DEFAULT_METHODS = List.of("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE");

    /** The default header that makes a request of any method one that may be retried. */
    public static final String DEFAULT_IDEMPOTENCY_KEY_HEADER = "Idempotency-Key";

    private final Builder origin;

    private final RequestRules rules;

    private final Retry retry;

    private HttpRetry(Builder builder) {
        this.origin = new Builder(builder);
        this.rules = builder.rules;
        String name = builder.name.isEmpty() ? "http" : "http " + builder.name;
        RetryPolicy policy = ConnectionFailures.addTo(builder.policy);
        RetryBuilder requests = Retry.builder(name, policy)
                .engine(builder.engine)
                .listener(new ConnectionRelease(policy, builder.registration.listener()));
        this.retry = builder.registration.switchable(name, requests).build();
    }

    /**
     * Reads how long a server wants its client to wait from the exceptions of {@code RestClient}, {@code RestTemplate} and
     * {@code WebClient}: from {@code Retry-After}, or from the rate-limit headers of a 429 or 503. For an engine whose calls
     * use such a client; the starter's has it.
     *
     * @param clock the time of day, for responses without a {@code Date}
     * @return a resolver
     */
    public static RetryAfterResolver retryAfterResolver(Clock clock) {
        return new HttpRetryAfterResolver(clock);
    }

    /**
     * Starts from the defaults: three attempts, exponential backoff from one second.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Starts from these settings.
     *
     * @return a builder with the same settings
     */
    public Builder toBuilder() {
        return new Builder(origin);
    }

    /**
     * The same settings for a client of a name.
     *
     * @param client the client's name, as {@link Builder#name} says
     * @return the settings with that name
     */
    public HttpRetry named(String client) {
        return toBuilder().name(client).build();
    }

    /**
     * What meters, events and logs call these requests.
     *
     * @return {@code http}, or {@code http} and the client's name
     */
    public String name() {
        return retry.name();
    }

    /**
     * The policy, connection failures included.
     *
     * @return the policy
     */
    public RetryPolicy policy() {
        return retry.policy();
    }

    /**
     * The statuses that are retried.
     *
     * @return an immutable set
     */
    public Set<Integer> statuses() {
        return rules.statuses();
    }

    /**
     * The methods whose requests are retried.
     *
     * @return an immutable set
     */
    public Set<HttpMethod> methods() {
        return rules.methods();
    }

    /**
     * The header that makes a request of any method one that may be retried.
     *
     * @return its name, or {@code null} if there is none
     */
    public @Nullable String idempotencyKeyHeader() {
        return rules.idempotencyKeyHeader();
    }

    /** Whether a request may be sent more than once. */
    boolean isRetried(HttpMethod method, HttpHeaders headers) {
        return rules.retry(method, headers);
    }

    Retry retry() {
        return retry;
    }

    /** What an attempt throws that got a response to retry; {@code null} if the response is for the caller. */
    @Nullable RetryableResponseException refuse(HttpStatusCode status, HttpHeaders headers, Consumer<Duration> release) {
        return rules.refuse(status)
                ? new RetryableResponseException(
                        status, headers, RetryAfterHeaders.read(status.value(), headers, origin.clock), release)
                : null;
    }

    @Override
    public String toString() {
        return retry + ", methods " + methods() + ", statuses " + statuses();
    }

    /** Builds the settings. Each setter rejects a bad value at once. Not thread-safe. */
    public static final class Builder {

        private String name = "";

        private RetryPolicy policy = RetryPolicy.builder().build();

        private RetryEngine engine = RetryEngine.shared();

        private RequestRules rules = RequestRules.DEFAULTS;

        private Clock clock = Clock.systemUTC();

        private ClientRegistration registration = ClientRegistration.NONE;

        private Builder() {}

        private Builder(Builder other) {
            this.name = other.name;
            this.policy = other.policy;
            this.engine = other.engine;
            this.rules = other.rules;
            this.clock = other.clock;
            this.registration = other.registration;
        }

        /**
         * The client's name, a part of what meters, events and logs show. Name it after the server that is called, and never take it from
         * a URL: meters want a closed set. Default none.
         *
         * @param client the name, such as {@code catalogue}; blank for none
         * @return this builder
         */
        public Builder name(String client) {
            this.name = client.trim();
            return this;
        }

        /**
         * How often and how long apart. Its exceptions are added to by connection failures; take them out with {@code
         * exclude(IOException.class)}. Its recovery and {@code retryIf} have no meaning here. Default {@link RetryPolicy}'s.
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
         * Who runs the calls. Default the {@linkplain RetryEngine#shared() shared engine}.
         *
         * @param engine listeners, deciders, time and chance
         * @return this builder
         */
        public Builder engine(RetryEngine engine) {
            this.engine = Objects.requireNonNull(engine, "engine");
            return this;
        }

        /**
         * Which responses are retried. Default {@link HttpRetry#DEFAULT_STATUSES}.
         *
         * @param statuses status codes from 100 to 599, as HTTP has them; none to retry only connection failures
         * @return this builder
         * @throws IllegalArgumentException if one is no status code
         */
        public Builder statuses(Collection<Integer> statuses) {
            this.rules = rules.withStatuses(statuses);
            this.registration = registration.withSettingInCode(HttpSettings.STATUSES);
            return this;
        }

        /**
         * Which requests are retried whatever they carry: to name one that is not idempotent, such as {@code POST}, is to say
         * that the server copes with seeing the same request twice. Default {@link HttpRetry#DEFAULT_METHODS}.
         *
         * @param methods methods
         * @return this builder
         */
        public Builder methods(Collection<HttpMethod> methods) {
            this.rules = rules.withMethods(methods);
            this.registration = registration.withSettingInCode(HttpSettings.METHODS);
            return this;
        }

        /**
         * The header with which a request of any method may be retried. Default {@value
         * HttpRetry#DEFAULT_IDEMPOTENCY_KEY_HEADER}.
         *
         * @param header the header's name; blank or {@code null} for none
         * @return this builder
         * @throws IllegalArgumentException if no header can have that name
         */
        public Builder idempotencyKeyHeader(@Nullable String header) {
            this.rules = rules.withIdempotencyKeyHeader(header);
            this.registration = registration.withSettingInCode(HttpSettings.IDEMPOTENCY_KEY_HEADER);
            return this;
        }

        /**
         * The time of day, for waits until a date in responses without a {@code Date}. Default the system's clock.
         *
         * @param clock the clock
         * @return this builder
         */
        public Builder clock(Clock clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /** Makes what is built known to the application. What is set afterwards is shown as set in code. */
        Builder registration(ClientRegistration registration) {
            this.registration = registration;
            return this;
        }

        /**
         * Builds the settings.
         *
         * @return the settings
         */
        public HttpRetry build() {
            HttpRetry built = new HttpRetry(this);
            registration.add(built);
            return built;
        }
    }
}
