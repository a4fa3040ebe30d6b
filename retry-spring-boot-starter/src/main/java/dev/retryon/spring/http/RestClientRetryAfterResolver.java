/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.http;

import dev.retryon.RetryAfterResolver;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.client.RestClientResponseException;

/**
 * Knows how long the server wants to be waited for when a {@code RestClient} or {@code RestTemplate} call failed with a
 * {@link RestClientResponseException}: by {@code Retry-After}, or by rate-limit headers of a 429 or 503.
 *
 * @since 0.1.0
 */
public final class RestClientRetryAfterResolver implements RetryAfterResolver {

    private final Clock clock;

    /**
     * Creates a resolver.
     *
     * @param clock the time of day, for responses without a {@code Date}
     */
    public RestClientRetryAfterResolver(Clock clock) {
        this.clock = clock;
    }

    @Override
    public @Nullable Duration retryAfter(Throwable error) {
        if (!(error instanceof RestClientResponseException failure)) {
            return null;
        }
        HttpHeaders headers = failure.getResponseHeaders();
        return headers == null
                ? null
                : RetryAfterHeaders.read(failure.getStatusCode().value(), headers, clock);
    }
}
