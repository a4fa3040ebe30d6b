// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.prices;

import dev.retryon.spring.RetryOn;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Service;

@Service
public class PriceService {

    private final Map<String, String> lastKnown = new ConcurrentHashMap<>();

    private final Wholesaler wholesaler;

    public PriceService(Wholesaler wholesaler) {
        this.wholesaler = wholesaler;
    }

    @RetryOn(exceptions = IOException.class, recover = "lastKnown", recoverOn = CallNotPermittedException.class)
    @CircuitBreaker(name = "wholesaler")
    public String price(String item) throws IOException {
        String price = wholesaler.price(item);
        lastKnown.put(item, price);
        return price;
    }

    String lastKnown(String item) {
        return lastKnown.getOrDefault(item, "unknown");
    }
}
