// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import dev.retryon.RetryContext;
import dev.retryon.RetryOperation;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.support.HttpRequestWrapper;

/** One request, its attempts, and the response that the caller does not have yet. Not thread-safe. */
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
            return Objects.requireNonNull(open);
        } catch (IOException | RuntimeException | Error ex) {
            discard();
            throw ex;
        } catch (Throwable ex) {
            discard();
            throw new UndeclaredThrowableException(ex);
        }
    }

    @Override
    public ClientHttpResponse run(HttpRequest request, int attempt) throws IOException, RetryableResponseException {
        // Rejected responses are released before the wait. An open response arrived after its attempt had timed out.
        discard();
        http.resends().count(attempt);
        ClientHttpResponse response = execution.execute(
                new Attempt(request, http.rules().headerToGenerate(request.getMethod(), request.getHeaders())), body);
        open = response;
        RetryableResponseException refusal =
                http.refuse(response.getStatusCode(), response.getHeaders(), this::release);
        if (refusal != null) {
            throw refusal;
        }
        return response;
    }

    private void release(Duration time) {
        if (open != null) {
            open = ReleasedResponse.release(open, time);
        }
    }

    private void discard() {
        if (open != null && !(open instanceof ReleasedResponse)) {
            ResponseDrain.close(open);
        }
        open = null;
    }

    /** Copies the headers, so that interceptors do not find a header that they added to the previous attempt. */
    private static final class Attempt extends HttpRequestWrapper {

        private final HttpHeaders headers;

        Attempt(HttpRequest request, @Nullable String headerOfCallId) {
            super(request);
            this.headers = HttpHeaders.copyOf(request.getHeaders());
            if (headerOfCallId != null) {
                headers.set(headerOfCallId, RetryContext.current().callId());
            }
        }

        @Override
        public HttpHeaders getHeaders() {
            return headers;
        }
    }
}
