/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.http;

import java.io.IOException;
import java.util.List;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Retries the requests of a {@code RestClient} or {@code RestTemplate}, as {@link HttpRetry} says which. To be the first of
 * the interceptors: those after it run once an attempt, each on a copy of the request's headers.
 *
 * <p>The body was read into memory for the interceptors and is sent again as it was. A response that is followed by another
 * attempt is read, up to 64 KiB and 500 ms, and closed before the wait, so that its connection is free. When it is not retried any more
 * the last response goes to the caller as if nothing had happened, and the client's own status handling applies; the last
 * connection failure is thrown as it is. If a wait is cut short, by shutdown or an interrupt, the caller gets the response
 * before it, whose body is empty if it was longer or slower. What fails while the caller reads the body is not retried
 * here.
 *
 * @since 0.1.0
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class RetryClientHttpRequestInterceptor implements ClientHttpRequestInterceptor {

    private final HttpRetry http;

    /**
     * Creates an interceptor.
     *
     * @param http what is retried
     */
    public RetryClientHttpRequestInterceptor(HttpRetry http) {
        this.http = http;
    }

    /**
     * The same for a client of a name.
     *
     * @param client the client's name, as {@link HttpRetry.Builder#name} says
     * @return another interceptor
     */
    public RetryClientHttpRequestInterceptor named(String client) {
        return new RetryClientHttpRequestInterceptor(http.named(client));
    }

    /**
     * What is retried.
     *
     * @return the settings
     */
    public HttpRetry settings() {
        return http;
    }

    /**
     * Puts this interceptor before all others, unless there is one of its kind already.
     *
     * @param interceptors a client's interceptors
     */
    public void addFirst(List<ClientHttpRequestInterceptor> interceptors) {
        if (interceptors.stream().noneMatch(RetryClientHttpRequestInterceptor.class::isInstance)) {
            interceptors.add(0, this);
        }
    }

    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        return http.isRetried(request.getMethod(), request.getHeaders())
                ? new BlockingExchange(http, body, execution).send(request)
                : execution.execute(request, body);
    }
}
