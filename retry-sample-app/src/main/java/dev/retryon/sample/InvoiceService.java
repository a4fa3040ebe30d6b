// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import static dev.retryon.durable.DurableMode.ON_FAILURE;

import dev.retryon.RetryContext;
import dev.retryon.durable.Durable;
import dev.retryon.durable.WhenFailed;
import dev.retryon.sample.outside.OutsideWorld;
import dev.retryon.spring.RetryOn;
import org.springframework.stereotype.Service;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClient;

/** Sends invoices. An invoice is not lost if the process ends or the mail server rejects it. */
@Service
public class InvoiceService extends OutsideClient {

    InvoiceService(RestClient.Builder builder, OutsideWorld outside) {
        super(builder.baseUrl(outside.url("mail")).build());
    }

    /**
     * Runs the first attempt on the caller's thread. If the mail server is down, the call is stored and this method
     * returns. A worker runs the other attempts, in this process or any other. Calls that fail permanently become dead
     * letters.
     */
    @RetryOn(
            exceptions = HttpServerErrorException.class,
            maxAttempts = 10,
            backoff = "exponential",
            delay = "5s",
            maxDelay = "1m")
    @Durable(value = ON_FAILURE, whenFailed = WhenFailed.KEEP_ALL)
    public void send(String order) {
        client().post()
                .uri("/invoices/{order}", order)
                .header("Idempotency-Key", RetryContext.current().callId())
                .retrieve()
                .toBodilessEntity();
    }
}
