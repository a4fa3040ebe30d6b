/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.http;

import dev.retryon.InterceptedCalls;
import dev.retryon.Retry;
import dev.retryon.RetryBuilder;
import dev.retryon.RetryEngine;
import dev.retryon.RetryEvent;
import dev.retryon.RetryHistory;
import dev.retryon.RetryPolicy;
import dev.retryon.RetryPolicyBuilder;
import dev.retryon.RetryScheduled;
import dev.retryon.spring.method.RetriedClient;
import dev.retryon.spring.settings.EffectiveSettings;
import java.io.IOException;
import java.net.MalformedURLException;
import java.security.cert.CertificateException;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.util.ClassUtils;

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
public final class HttpRetry implements RetriedClient {

    /**
     * The statuses that are retried by default: request timeout, too many requests, internal server error, bad gateway,
     * service unavailable, gateway timeout. Not 501 and 505, which say that the server does not support the request: the
     * same request gets the same answer.
     */
    public static final List<Integer> DEFAULT_STATUSES = List.of(408, 429, 500, 502, 503, 504);

    /** What is retried if nothing is said: the methods that RFC 9110 calls idempotent. */
    public static final List<String> DEFAULT_METHODS = List.of("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE");

    /** The header that makes a request of any method one that may be retried, if nothing is said. */
    public static final String DEFAULT_IDEMPOTENCY_KEY_HEADER = "Idempotency-Key";

    private static final Logger log = LoggerFactory.getLogger("dev.retryon");

    /** What RFC 9110 lets a header be called. */
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

    private static final String NETTY_TIMEOUT = "io.netty.handler.timeout.TimeoutException";

    private final Builder origin;

    private final Set<Integer> statuses;

    private final Set<HttpMethod> methods;

    private final @Nullable String idempotencyKeyHeader;

    private final Clock clock;

    private final Retry retry;

    private HttpRetry(Builder builder) {
        this.origin = builder.copy();
        this.statuses = Collections.unmodifiableSet(new LinkedHashSet<>(builder.statuses));
        this.methods = Collections.unmodifiableSet(new LinkedHashSet<>(builder.methods));
        this.idempotencyKeyHeader = builder.idempotencyKeyHeader;
        this.clock = builder.clock;
        String name = builder.name.isEmpty() ? "http" : "http " + builder.name;
        RetryPolicy policy = withConnectionFailures(builder.policy);
        RetryBuilder retry =
                Retry.builder(name, policy).engine(builder.engine).listener(event -> release(event, policy));
        if (builder.successes != null) {
            InterceptedCalls.countSuccesses(retry, builder.successes.apply(name));
        }
        if (builder.waiting != null) {
            InterceptedCalls.countWaiting(retry, builder.waiting.apply(name));
        }
        this.retry = retry.build();
        if (builder.observer != null) {
            builder.observer.accept(this);
        }
    }

    @SuppressWarnings("unchecked")
    private static RetryPolicy withConnectionFailures(RetryPolicy policy) {
        RetryPolicyBuilder retrying = policy.toBuilder()
                .retryOn(IOException.class, TimeoutException.class)
                .exclude(CertificateException.class, SSLPeerUnverifiedException.class, MalformedURLException.class);
        ClassLoader classLoader = HttpRetry.class.getClassLoader();
        if (ClassUtils.isPresent(NETTY_TIMEOUT, classLoader)) {
            retrying.retryOn((Class<? extends Throwable>) ClassUtils.resolveClassName(NETTY_TIMEOUT, classLoader));
        }
        return retrying.build();
    }

    /** Gives the connection of a refused response back before the wait, in the time that the policy leaves for it. */
    private static void release(RetryEvent event, RetryPolicy policy) {
        if (event instanceof RetryScheduled scheduled && event.error() instanceof RetryableResponseException response) {
            response.release(timeToRelease(policy, event.elapsed(), scheduled.delay()));
        }
    }

    /** The longest time to read a refused response; zero or less if it is to be closed unread. */
    static Duration timeToRelease(RetryPolicy policy, Duration elapsed, Duration delay) {
        Duration total = policy.timeout();
        return min(
                min(ResponseDrain.LONGEST_TIME, policy.attemptTimeout()),
                total == null ? null : total.minus(elapsed).minus(delay));
    }

    private static Duration min(Duration time, @Nullable Duration limit) {
        return limit == null || time.compareTo(limit) <= 0 ? time : limit;
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
        return origin.copy();
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
    @Override
    public String name() {
        return retry.name();
    }

    /**
     * The policy, connection failures included.
     *
     * @return the policy
     */
    @Override
    public RetryPolicy policy() {
        return retry.policy();
    }

    /**
     * The statuses that are retried.
     *
     * @return an immutable set
     */
    public Set<Integer> statuses() {
        return statuses;
    }

    /**
     * The methods whose requests are retried.
     *
     * @return an immutable set
     */
    public Set<HttpMethod> methods() {
        return methods;
    }

    /**
     * The header that makes a request of any method one that may be retried.
     *
     * @return its name, or {@code null} if there is none
     */
    public @Nullable String idempotencyKeyHeader() {
        return idempotencyKeyHeader;
    }

    @Override
    public Map<String, EffectiveSettings.Value<?>> settings() {
        return HttpSettings.of(this, origin.policySettings, origin.properties);
    }

    /** Whether a request may be sent more than once. */
    boolean isRetried(HttpMethod method, HttpHeaders headers) {
        return methods.contains(method)
                || (idempotencyKeyHeader != null && headers.containsHeader(idempotencyKeyHeader));
    }

    Retry retry() {
        return retry;
    }

    /** What an attempt throws that got a response to retry; {@code null} if the response is for the caller. */
    @Nullable RetryableResponseException refuse(HttpStatusCode status, HttpHeaders headers, Consumer<Duration> release) {
        return statuses.contains(status.value())
                ? new RetryableResponseException(
                        status, headers, RetryAfterHeaders.read(status.value(), headers, clock), release)
                : null;
    }

    /** The caller gets the response instead of this, so what went wrong beside it must be told in another way. */
    void swallow(RetryableResponseException last) {
        for (Throwable fault : last.getSuppressed()) {
            if (!(fault instanceof RetryHistory)) {
                log.warn("{}: a gate or decider failed, so the request is not retried", name(), fault);
            }
        }
    }

    @Override
    public String toString() {
        return retry + ", methods " + methods + ", statuses " + statuses;
    }

    /** Builds the settings. Each setter rejects a bad value at once. Not thread-safe. */
    public static final class Builder {

        private String name = "";

        private RetryPolicy policy = RetryPolicy.builder().build();

        private RetryEngine engine = RetryEngine.shared();

        private Set<Integer> statuses = new LinkedHashSet<>(DEFAULT_STATUSES);

        private Set<HttpMethod> methods = new LinkedHashSet<>();

        private @Nullable String idempotencyKeyHeader = DEFAULT_IDEMPOTENCY_KEY_HEADER;

        private Clock clock = Clock.systemUTC();

        private @Nullable Function<String, LongAdder> successes;

        private @Nullable Function<String, LongAdder> waiting;

        private @Nullable Consumer<? super HttpRetry> observer;

        /** The settings that the policy was made of, if it comes from properties. */
        private @Nullable EffectiveSettings policySettings;

        /** The settings beside the policy that come from properties. */
        private Set<String> properties = Set.of();

        private Builder() {
            DEFAULT_METHODS.forEach(method -> methods.add(HttpMethod.valueOf(method)));
        }

        private Builder copy() {
            Builder copy = new Builder();
            copy.name = name;
            copy.policy = policy;
            copy.engine = engine;
            copy.statuses = new LinkedHashSet<>(statuses);
            copy.methods = new LinkedHashSet<>(methods);
            copy.idempotencyKeyHeader = idempotencyKeyHeader;
            copy.clock = clock;
            copy.successes = successes;
            copy.waiting = waiting;
            copy.observer = observer;
            copy.policySettings = policySettings;
            copy.properties = properties;
            return copy;
        }

        /**
         * The client's name, a part of what meters, events and logs show. Choose it by whom is called, and never take it from
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
            this.policySettings = null;
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
            for (Integer status : statuses) {
                if (status < 100 || status > 599) {
                    throw new IllegalArgumentException(
                            "statuses has '" + status + "', but must have only numbers from 100 to 599");
                }
            }
            this.statuses = new LinkedHashSet<>(statuses);
            setInCode(HttpSettings.STATUSES);
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
            this.methods = new LinkedHashSet<>(methods);
            setInCode(HttpSettings.METHODS);
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
            String name = header == null || header.isBlank() ? null : header.trim();
            if (name != null && !TOKEN.matcher(name).matches()) {
                throw new IllegalArgumentException("idempotencyKeyHeader is '" + header
                        + "', but must be the name of a header such as " + DEFAULT_IDEMPOTENCY_KEY_HEADER);
            }
            this.idempotencyKeyHeader = name;
            setInCode(HttpSettings.IDEMPOTENCY_KEY_HEADER);
            return this;
        }

        private void setInCode(String setting) {
            Set<String> others = new LinkedHashSet<>(properties);
            others.remove(setting);
            this.properties = others;
        }

        /**
         * Records that what was set so far comes from properties, so that the endpoint shows them as its source. What is set
         * afterwards comes from code.
         *
         * @param policy the settings that the policy was made of
         * @return this builder
         */
        public Builder fromProperties(EffectiveSettings policy) {
            this.policySettings = Objects.requireNonNull(policy, "policy");
            this.properties = Set.of(HttpSettings.STATUSES, HttpSettings.METHODS, HttpSettings.IDEMPOTENCY_KEY_HEADER);
            return this;
        }

        /**
         * Tells of what is built, here and by {@link HttpRetry#toBuilder()} and {@link HttpRetry#named(String)} of it.
         * Default nobody.
         *
         * @param observer takes each instance
         * @return this builder
         */
        public Builder observer(Consumer<? super HttpRetry> observer) {
            this.observer = Objects.requireNonNull(observer, "observer");
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

        /**
         * Counts requests that succeed at once, for which there is no event. Default not counted.
         *
         * @param counters gives the counter of a name, {@link HttpRetry#name()}
         * @return this builder
         */
        public Builder countSuccesses(Function<String, LongAdder> counters) {
            this.successes = Objects.requireNonNull(counters, "counters");
            return this;
        }

        /**
         * Counts requests that wait for their next attempt. Default not counted.
         *
         * @param counters gives the counter of a name, {@link HttpRetry#name()}
         * @return this builder
         */
        public Builder countWaiting(Function<String, LongAdder> counters) {
            this.waiting = Objects.requireNonNull(counters, "counters");
            return this;
        }

        /**
         * Builds the settings.
         *
         * @return the settings
         */
        public HttpRetry build() {
            return new HttpRetry(this);
        }
    }
}
