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
 * first interceptor, because the interceptors after it run once per attempt, each on a copy of the request's headers.
 *
 * <p>Each attempt sends the same body, which is in memory. If another attempt follows, up to 64 KiB of the response
 * is read within 500 ms. The response is then closed before the wait to free its connection. The caller
 * receives the last response, and the client's own status handling applies. The last connection failure is thrown
 * unchanged. If a shutdown or an interrupt ends a wait, the caller receives the previous response, with an empty body
 * if it could not be read within these limits. If the caller later fails to read the body, the request is not
 * retried.
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
     * Returns an interceptor for a named client.
     *
     * @param client the client's name; see {@link HttpRetry.Builder#name}
     * @return a new interceptor for that client
     */
    public RetryClientHttpRequestInterceptor named(String client) {
        return new RetryClientHttpRequestInterceptor(http.named(client));
    }

    /** {@return the settings that decide which requests are retried} */
    public HttpRetry settings() {
        return http;
    }

    /**
     * Adds this interceptor before all others, unless the list already contains one of this type.
     *
     * @param interceptors the interceptors of a client
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
