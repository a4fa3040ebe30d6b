/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/** What is left of a response whose connection was given back: all of it, or all but a body that was too long. */
final class ReleasedResponse implements ClientHttpResponse {

    /** So much of a body is read for its connection to be used again; one with a longer body is closed. */
    static final int LONGEST_BODY = 64 * 1024;

    private static final byte[] NOTHING = {};

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

    /** Gives the connection of a response back; answers with what is left. Does nothing the second time. */
    static ClientHttpResponse release(ClientHttpResponse response) {
        if (response instanceof ReleasedResponse) {
            return response;
        }
        try (response) {
            HttpHeaders headers = HttpHeaders.copyOf(response.getHeaders());
            return new ReleasedResponse(response.getStatusCode(), response.getStatusText(), headers, drain(response));
        } catch (IOException ex) {
            // Not even a status: there is nothing that could be given to anybody.
            return response;
        }
    }

    private static byte[] drain(ClientHttpResponse response) {
        try {
            InputStream body = response.getBody();
            byte[] start = body.readNBytes(LONGEST_BODY + 1);
            if (start.length <= LONGEST_BODY) {
                return start;
            }
            // Closing the response alone would make some clients read the rest, however long it is.
            body.close();
        } catch (IOException ex) {
            // The body broke off: it is of no interest, and the connection is gone anyway.
            return NOTHING;
        }
        return NOTHING;
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
        // Was closed when it was released.
    }
}
