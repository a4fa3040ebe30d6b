/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.sample;

import dev.retryon.sample.outside.OutsideWorld;
import dev.retryon.spring.RetryOn;
import java.util.Set;
import org.springframework.stereotype.Service;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.HttpStatusCodeException;
import org.springframework.web.client.RestClient;

/** Asks the stock service. */
@Service
public class StockService {

    private static final Set<Integer> PASSING = Set.of(429, 502, 503, 504);

    private final RestClient stock;

    StockService(RestClient.Builder builder, OutsideWorld outside) {
        this.stock = builder.baseUrl(outside.url("stock")).build();
    }

    /** The plain annotation: which exception, and application.yml for the rest. */
    @RetryOn(HttpServerErrorException.class)
    public String available(String item) {
        stock.get().uri("/items/{item}", item).retrieve().toBodilessEntity();
        return item + " is in stock";
    }

    /** Both gates: one asks a method of this bean about the error, the other looks at an argument. */
    @RetryOn(
            exceptions = HttpStatusCodeException.class,
            maxAttempts = 4,
            onlyIf = "isPassing(#error)",
            unless = "#express")
    public String reserve(String item, boolean express) {
        stock.post().uri("/items/{item}/reservations", item).retrieve().toBodilessEntity();
        return item + " is reserved";
    }

    /** Whether it is the kind of error that goes away. */
    public boolean isPassing(HttpStatusCodeException error) {
        return PASSING.contains(error.getStatusCode().value());
    }
}
