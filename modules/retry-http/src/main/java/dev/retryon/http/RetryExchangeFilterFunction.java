// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;

/**
 * Retries the requests of a {@code WebClient} according to {@link HttpRetry}. No thread is held while waiting. Add it
 * as the first filter, because the filters after it run once per attempt.
 *
 * <p>The body is written for each attempt, so the publisher of a body must allow several subscriptions. If another
 * attempt follows, up to 64 KiB of the response is read within 500 ms, and then the response is released before the
 * wait. The caller receives the last response, and the client's own status handling applies. If a shutdown ends a
 * wait, the caller receives the previous response, with an empty body if it could not be read within these limits. If
 * reading the body fails later, the request is not retried. Cancelling the subscription ends the wait or the running
 * attempt. Each attempt has access to the subscriber's Reactor context, which contains the
 * {@link dev.retryon.RetryContext} under its class.
 *
 * @since 0.1.0
 */
public final class RetryExchangeFilterFunction implements ExchangeFilterFunction {

    private final HttpRetry http;

    /**
     * Creates a filter.
     *
     * @param http the settings
     */
    public RetryExchangeFilterFunction(HttpRetry http) {
        this.http = http;
    }

    /**
     * Returns a filter for a named client.
     *
     * @param client the client's name; see {@link HttpRetry.Builder#name}
     * @return a new filter for that client
     */
    public RetryExchangeFilterFunction named(String client) {
        return new RetryExchangeFilterFunction(http.named(client));
    }

    /** {@return the settings that decide which requests are retried} */
    public HttpRetry settings() {
        return http;
    }

    @Override
    public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
        return http.rules().retry(request.method(), request.headers())
                ? Mono.deferContextual(subscriber -> new ReactiveExchange(http, next, subscriber).send(request))
                : next.exchange(request);
    }
}
