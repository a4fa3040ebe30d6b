/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package com.acme.shop.newsletter;

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
    @RetryOn(exceptions = IOException.class, maxAttempts = 3, delay = "500ms", timeout = "10s")
    public void on(CustomerRegistered event) throws IOException {
        newsletter.subscribe(event.email());
    }
}
