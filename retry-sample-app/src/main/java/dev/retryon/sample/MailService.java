// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import dev.retryon.RetryContext;
import dev.retryon.sample.outside.OutsideWorld;
import dev.retryon.spring.RetryOn;
import org.springframework.stereotype.Service;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

/** Calls the mail server. */
@Service
public class MailService extends OutsideClient {

    MailService(RestClient.Builder builder, OutsideWorld outside) {
        super(builder.baseUrl(outside.url("mail")).build());
    }

    /**
     * Merges several layers: the exceptions of both classes, the backoff of the base class, and three attempts instead
     * of two.
     */
    @RetryOn(exceptions = HttpServerErrorException.class, maxAttempts = 3, recover = "postpone")
    public String sendReceipt(String to) {
        client().post()
                .uri("/messages?to={to}", to)
                .header("Idempotency-Key", RetryContext.current().callId())
                .retrieve()
                .toBodilessEntity();
        return "receipt sent to " + to;
    }

    /** Recovers a call after all attempts have failed. This method is not called for errors that are not retried. */
    String postpone(String to, RestClientException error, RetryContext context) {
        return "receipt for " + to + " postponed after " + context.attempt() + " attempts";
    }
}
