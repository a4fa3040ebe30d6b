/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.http;

import dev.retryon.RetryOperation;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.support.HttpRequestWrapper;

/** One request, its attempts, and the response that nobody has been given yet. Stays on one thread. */
final class BlockingExchange implements RetryOperation<HttpRequest, ClientHttpResponse> {

    private final HttpRetry http;

    private final byte[] body;

    private final ClientHttpRequestExecution execution;

    private @Nullable ClientHttpResponse open;

    BlockingExchange(HttpRetry http, byte[] body, ClientHttpRequestExecution execution) {
        this.http = http;
        this.body = body;
        this.execution = execution;
    }

    ClientHttpResponse send(HttpRequest request) throws IOException {
        try {
            return http.retry().call(request, this);
        } catch (RetryableResponseException ex) {
            http.swallow(ex);
            return Objects.requireNonNull(open);
        } catch (IOException | RuntimeException | Error ex) {
            release();
            throw ex;
        } catch (Throwable ex) {
            release();
            throw new UndeclaredThrowableException(ex);
        }
    }

    @Override
    public ClientHttpResponse run(HttpRequest request, int attempt) throws IOException, RetryableResponseException {
        // Released before the wait, but for one that came too late, when its attempt had been given up.
        release();
        ClientHttpResponse response = execution.execute(new Attempt(request), body);
        open = response;
        RetryableResponseException refusal =
                http.refuse(response.getStatusCode(), response.getHeaders(), this::release);
        if (refusal != null) {
            throw refusal;
        }
        return response;
    }

    private void release() {
        if (open != null) {
            open = ReleasedResponse.release(open);
        }
    }

    /** A copy of the headers for each attempt: interceptors that add one must not find what they added before. */
    private static final class Attempt extends HttpRequestWrapper {

        private final HttpHeaders headers;

        Attempt(HttpRequest request) {
            super(request);
            this.headers = HttpHeaders.copyOf(request.getHeaders());
        }

        @Override
        public HttpHeaders getHeaders() {
            return headers;
        }
    }
}
