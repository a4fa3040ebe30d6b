// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.quotes;

import dev.retryon.spring.OnError;
import dev.retryon.spring.RetryOn;
import java.net.ConnectException;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.web.client.RestClient;

@Service
public class Quotes {

    private final RestClient partner;

    Quotes(RestClient.Builder builder) {
        this.partner = builder.baseUrl("https://partner.example.com").build();
    }

    @RetryOn(
            policy = "http-transient",
            errors = {
                @OnError(codes = "http.429", delay = "5s", maxAttempts = 8),
                @OnError(value = ConnectException.class, delay = "50ms", backoff = "fixed")
            })
    public @Nullable String quote(String item) {
        return partner.get().uri("/quotes/{item}", item).retrieve().body(String.class);
    }
}
