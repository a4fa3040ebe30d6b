// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.newsletter;

import static dev.retryon.durable.DurableMode.OUTBOX;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

@Component
public class WelcomeMail {

    private final Newsletter newsletter;

    public WelcomeMail(Newsletter newsletter) {
        this.newsletter = newsletter;
    }

    @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
    @RetryOn(exceptions = IOException.class, maxAttempts = 10, delay = "30s")
    @Durable(OUTBOX)
    public void on(CustomerRegistered event) throws IOException {
        newsletter.subscribe(event.email());
    }
}
