// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.newsletter;

import static dev.retryon.durable.DurableMode.ON_FAILURE;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.stereotype.Component;

@Component
public class NewsletterModule {

    private final Newsletter newsletter;

    public NewsletterModule(Newsletter newsletter) {
        this.newsletter = newsletter;
    }

    @ApplicationModuleListener
    @RetryOn(exceptions = IOException.class, maxAttempts = 10, delay = "30s")
    @Durable(ON_FAILURE)
    public void on(CustomerRegistered event) throws IOException {
        newsletter.subscribe(event.email());
    }
}
