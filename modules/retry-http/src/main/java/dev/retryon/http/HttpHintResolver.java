// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import dev.retryon.RetryContext;
import dev.retryon.RetryHint;
import dev.retryon.RetryHintResolver;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.util.ClassUtils;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.reactive.function.client.WebClientResponseException;

/** Reads the waits that servers request from the exceptions of Spring's HTTP clients. */
final class HttpHintResolver implements RetryHintResolver {

    private static final boolean WEB_CLIENT = ClassUtils.isPresent(
            "org.springframework.web.reactive.function.client.WebClient", HttpHintResolver.class.getClassLoader());

    private final Clock clock;

    /** @param clock the time of day, for responses without a {@code Date} */
    HttpHintResolver(Clock clock) {
        this.clock = clock;
    }

    @Override
    public @Nullable RetryHint resolve(Throwable error, RetryContext context) {
        Duration retryAfter = retryAfter(error);
        return retryAfter == null ? null : RetryHint.ofRetryAfter(retryAfter);
    }

    private @Nullable Duration retryAfter(Throwable error) {
        if (error instanceof RestClientResponseException failure) {
            HttpHeaders headers = failure.getResponseHeaders();
            return headers == null
                    ? null
                    : RetryAfterHeaders.read(failure.getStatusCode().value(), headers, clock);
        }
        if (WEB_CLIENT && error instanceof WebClientResponseException failure) {
            return RetryAfterHeaders.read(failure.getStatusCode().value(), failure.getHeaders(), clock);
        }
        return null;
    }
}
