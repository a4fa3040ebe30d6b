/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.http;

import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;

/**
 * Retries the requests of a {@code WebClient}, as {@link HttpRetry} says which, without holding a thread while it waits. To
 * be the first of the filters: those after it run once an attempt.
 *
 * <p>The body is written again for each attempt; one that comes from a publisher must allow to be subscribed to more than
 * once. A response that is followed by another attempt is read, up to 64 KiB and 500 ms, and released before the wait. When it is not
 * retried any more the last response goes on as if nothing had happened, and the client's own status handling applies. If
 * shutdown cuts a wait short, that is the response before it, whose body is empty if it was longer or slower. What fails
 * while the body is read is not retried here. Cancelling the subscription ends the wait or the attempt in flight. The
 * subscriber's Reactor context reaches each attempt, with the {@link dev.retryon.RetryContext} in it under its class.
 *
 * @since 0.1.0
 */
public final class RetryExchangeFilterFunction implements ExchangeFilterFunction {

    private final HttpRetry http;

    /**
     * Creates a filter.
     *
     * @param http what is retried
     */
    public RetryExchangeFilterFunction(HttpRetry http) {
        this.http = http;
    }

    /**
     * The same for a client of a name.
     *
     * @param client the client's name, as {@link HttpRetry.Builder#name} says
     * @return another filter
     */
    public RetryExchangeFilterFunction named(String client) {
        return new RetryExchangeFilterFunction(http.named(client));
    }

    /**
     * What is retried.
     *
     * @return the settings
     */
    public HttpRetry settings() {
        return http;
    }

    @Override
    public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
        return http.isRetried(request.method(), request.headers())
                ? Mono.deferContextual(subscriber -> new ReactiveExchange(http, next, subscriber).send(request))
                : next.exchange(request);
    }
}
