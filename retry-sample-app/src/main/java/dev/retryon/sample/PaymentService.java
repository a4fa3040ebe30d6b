// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import dev.retryon.RetryContext;
import dev.retryon.sample.outside.OutsideWorld;
import dev.retryon.spring.RetryOn;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Service;
import org.springframework.web.client.RestClient;

/** Calls the payment gateway. */
@Service
public class PaymentService {

    private final RestClient gateway;

    PaymentService(RestClient.Builder builder, OutsideWorld outside) {
        this.gateway = builder.baseUrl(outside.url("payment")).build();
    }

    /**
     * Uses a named policy: retryon.policies.payments in application.yml. Because each attempt sends the same key,
     * the gateway charges only once, even if its response is lost.
     */
    @RetryOn(policy = "payments")
    public String charge(int amount) {
        gateway.post()
                .uri("/charges?amount={amount}", amount)
                .header("Idempotency-Key", RetryContext.current().callId())
                .retrieve()
                .toBodilessEntity();
        return amount + " charged";
    }

    /**
     * Uses the same policy with more attempts. Settings in retryon.methods in application.yml override the
     * annotation.
     */
    @RetryOn(policy = "payments", maxAttempts = 5)
    public String refund(int amount) {
        gateway.post()
                .uri("/refunds?amount={amount}", amount)
                .header("Idempotency-Key", RetryContext.current().callId())
                .retrieve()
                .toBodilessEntity();
        return amount + " refunded";
    }

    /** Retries a returned value, because the gateway answers 202 while a transfer is in progress. */
    @RetryOn(maxAttempts = 6, backoff = "fixed", retryIf = "#result == 'pending'")
    public String transfer(String id) {
        boolean pending = gateway.get()
                        .uri("/transfers/{id}", id)
                        .retrieve()
                        .toBodilessEntity()
                        .getStatusCode()
                == HttpStatus.ACCEPTED;
        return pending ? "pending" : "settled";
    }
}
