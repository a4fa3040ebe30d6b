// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import dev.retryon.sample.outside.OutsideWorld;
import dev.retryon.spring.RetryOn;
import java.util.Set;
import org.springframework.stereotype.Service;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.HttpStatusCodeException;
import org.springframework.web.client.RestClient;

/** Calls the stock service. */
@Service
public class StockService {

    private static final Set<Integer> PASSING = Set.of(429, 502, 503, 504);

    private final RestClient stock;

    StockService(RestClient.Builder builder, OutsideWorld outside) {
        this.stock = builder.baseUrl(outside.url("stock")).build();
    }

    /** The annotation lists the exception to retry. The other settings come from application.yml. */
    @RetryOn(HttpServerErrorException.class)
    public String available(String item) {
        stock.get().uri("/items/{item}", item).retrieve().toBodilessEntity();
        return item + " is in stock";
    }

    /** Uses both gates. One passes the error to a method of this bean, and the other checks an argument. */
    @RetryOn(
            exceptions = HttpStatusCodeException.class,
            maxAttempts = 4,
            onlyIf = "isPassing(#error)",
            unless = "#express")
    public String reserve(String item, boolean express) {
        stock.post().uri("/items/{item}/reservations", item).retrieve().toBodilessEntity();
        return item + " is reserved";
    }

    /**
     * Runs up to twenty attempts, but all searches share a retry budget: retryon.budgets.search in
     * application.yml.
     */
    @RetryOn(exceptions = HttpServerErrorException.class, maxAttempts = 20, backoff = "fixed", budget = "search")
    public String search(String word) {
        stock.get().uri("/search/{word}", word).retrieve().toBodilessEntity();
        return word + " was found";
    }

    /** Interrupts and retries an attempt that takes longer than 400 ms, long before the client's timeout. */
    @RetryOn(exceptions = HttpServerErrorException.class, attemptTimeout = "400ms")
    public String estimate(String item) {
        stock.get().uri("/estimates/{item}", item).retrieve().toBodilessEntity();
        return item + " takes two days";
    }

    /** Returns whether the error is temporary. */
    public boolean isPassing(HttpStatusCodeException error) {
        return PASSING.contains(error.getStatusCode().value());
    }
}
