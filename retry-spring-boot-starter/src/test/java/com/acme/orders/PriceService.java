// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import dev.retryon.spring.RetryOn;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Service;

/** The service of the guide to recovery: retry outside, circuit breaker inside, one fallback for both. */
@Service
public class PriceService {

    private final Catalogue catalogue;

    private final Map<String, String> lastKnown = new ConcurrentHashMap<>();

    public PriceService(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    @RetryOn(exceptions = IOException.class, recover = "lastKnown", recoverOn = CallNotPermittedException.class)
    @CircuitBreaker(name = "catalogue")
    public String price(String item) throws IOException {
        String price = catalogue.price(item);
        lastKnown.put(item, price);
        return price;
    }

    String lastKnown(String item) {
        return lastKnown.getOrDefault(item, "unknown");
    }

    /** What is called. */
    public interface Catalogue {

        String price(String item) throws IOException;
    }
}
