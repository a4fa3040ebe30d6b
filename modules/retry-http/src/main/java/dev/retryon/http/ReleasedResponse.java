// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/** A response whose connection was released. The body is empty if it was too long, or not read in time. */
final class ReleasedResponse implements ClientHttpResponse {

    private final HttpStatusCode status;

    private final String statusText;

    private final HttpHeaders headers;

    private final byte[] body;

    private ReleasedResponse(HttpStatusCode status, String statusText, HttpHeaders headers, byte[] body) {
        this.status = status;
        this.statusText = statusText;
        this.headers = headers;
        this.body = body;
    }

    /** Releases the connection of a response, at most once, after waiting for its body for at most the given time. */
    static ClientHttpResponse release(ClientHttpResponse response, Duration time) {
        if (response instanceof ReleasedResponse) {
            return response;
        }
        try {
            HttpStatusCode status = response.getStatusCode();
            String statusText = response.getStatusText();
            HttpHeaders headers = HttpHeaders.copyOf(response.getHeaders());
            return new ReleasedResponse(status, statusText, headers, ResponseDrain.read(response, time));
        } catch (IOException ex) {
            // The response has no status, so the caller cannot receive it.
            ResponseDrain.close(response);
            return response;
        }
    }

    @Override
    public HttpStatusCode getStatusCode() {
        return status;
    }

    @Override
    public String getStatusText() {
        return statusText;
    }

    @Override
    public HttpHeaders getHeaders() {
        return headers;
    }

    @Override
    public InputStream getBody() {
        return new ByteArrayInputStream(body);
    }

    @Override
    public void close() {
        // The response was closed when it was released.
    }
}
