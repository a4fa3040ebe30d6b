// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.retryon.RetryContext;
import dev.retryon.sample.outside.OutsideWorld;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.stereotype.Service;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.util.UriComponentsBuilder;

/** Calls the mail server asynchronously. */
@Service
public class NewsletterService {

    private static final byte[] NO_BODY = {};

    private final HttpClient client = HttpClient.newHttpClient();

    private final String mail;

    private final Duration limit;

    NewsletterService(OutsideWorld outside, @Value("${spring.http.clients.read-timeout}") Duration limit) {
        this.mail = outside.url("mail");
        this.limit = limit;
    }

    /**
     * Sends a newsletter asynchronously, and retries the call if the future fails. No thread is held between
     * attempts. Later attempts start on the only thread of the bean {@code retryOnTaskExecutor}, however many
     * newsletters wait.
     */
    @RetryOn({IOException.class, HttpServerErrorException.class})
    public CompletableFuture<String> send(String to) {
        String thread = Thread.currentThread().getName();
        HttpRequest request = HttpRequest.newBuilder(UriComponentsBuilder.fromUriString(mail)
                        .path("/newsletters")
                        .queryParam("to", "{to}")
                        .encode()
                        .buildAndExpand(to)
                        .toUri())
                .header("Idempotency-Key", RetryContext.current().callId())
                .timeout(limit)
                .POST(BodyPublishers.noBody())
                .build();
        return client.sendAsync(request, BodyHandlers.discarding())
                .thenApply(NewsletterService::check)
                .thenApply(accepted -> "newsletter sent to " + to + " by thread " + thread);
    }

    /** For error statuses, throws an exception with the headers, from which RetryOn reads a requested wait. */
    private static HttpResponse<Void> check(HttpResponse<Void> response) {
        HttpStatusCode status = HttpStatusCode.valueOf(response.statusCode());
        if (status.isError()) {
            HttpHeaders headers = new HttpHeaders();
            response.headers().map().forEach(headers::addAll);
            throw status.is5xxServerError()
                    ? HttpServerErrorException.create(status, "", headers, NO_BODY, UTF_8)
                    : HttpClientErrorException.create(status, "", headers, NO_BODY, UTF_8);
        }
        return response;
    }
}
