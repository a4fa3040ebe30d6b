/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.http;

import dev.retryon.RetryAfterResolver;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.web.reactive.function.client.WebClientResponseException;

/**
 * Knows how long the server wants to be waited for when a {@code WebClient} call failed with a {@link
 * WebClientResponseException}: by {@code Retry-After}, or by rate-limit headers of a 429 or 503.
 *
 * @since 0.1.0
 */
public final class WebClientRetryAfterResolver implements RetryAfterResolver {

    private final Clock clock;

    /**
     * Creates a resolver.
     *
     * @param clock the time of day, for responses without a {@code Date}
     */
    public WebClientRetryAfterResolver(Clock clock) {
        this.clock = clock;
    }

    @Override
    public @Nullable Duration retryAfter(Throwable error) {
        return error instanceof WebClientResponseException failure
                ? RetryAfterHeaders.read(failure.getStatusCode().value(), failure.getHeaders(), clock)
                : null;
    }
}
