// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.payments;

import dev.retryon.spring.RetryOn;
import java.io.IOException;
import org.springframework.stereotype.Service;

@Service
public class Payments {

    public interface Gateway {
        String charge(String orderId) throws IOException;
    }

    private final Gateway gateway;

    public Payments(Gateway gateway) {
        this.gateway = gateway;
    }

    @RetryOn(exceptions = IOException.class, maxAttempts = 3, delay = "200ms", jitter = "none")
    public String charge(String orderId) throws IOException {
        return gateway.charge(orderId);
    }
}
