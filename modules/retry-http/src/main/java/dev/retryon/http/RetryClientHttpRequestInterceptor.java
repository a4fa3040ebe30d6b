// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import java.io.IOException;
import java.util.List;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Retries the requests of a {@code RestClient} or {@code RestTemplate} according to {@link HttpRetry}. Add it as the
 * first interceptor: the interceptors after it run once per attempt, each on a copy of the request's headers.
 *
 * <p>Each attempt sends the same body, which is in memory. If another attempt follows, the response is read, up to 64
 * KiB and 500 ms, and closed before the wait, so that its connection is free. The caller receives the last response,
 * and the client's own status handling applies. The last connection failure is thrown unchanged. If a shutdown or an
 * interrupt ends a wait, the caller receives the previous response. Its body is empty if it was longer or slower.
 * Failures while the caller reads the body are not retried.
 *
 * @since 0.1.0
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class RetryClientHttpRequestInterceptor implements ClientHttpRequestInterceptor {

    private final HttpRetry http;

    /**
     * Creates an interceptor.
     *
     * @param http the settings
     */
    public RetryClientHttpRequestInterceptor(HttpRetry http) {
        this.http = http;
    }

    /**
     * Returns an interceptor for a client with a name.
     *
     * @param client the client's name; see {@link HttpRetry.Builder#name}
     * @return another interceptor
     */
    public RetryClientHttpRequestInterceptor named(String client) {
        return new RetryClientHttpRequestInterceptor(http.named(client));
    }

    /** {@return the settings that decide which requests are retried} */
    public HttpRetry settings() {
        return http;
    }

    /**
     * Adds this interceptor before all others, unless there is already one of this type.
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
        return http.rules().retry(request.getMethod(), request.getHeaders())
                ? new BlockingExchange(http, body, execution).send(request)
                : execution.execute(request, body);
    }
}
