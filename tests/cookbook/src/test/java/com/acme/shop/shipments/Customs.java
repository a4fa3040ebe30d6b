// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.shipments;

import static dev.retryon.durable.DurableMode.ON_FAILURE;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import org.springframework.stereotype.Service;

@Service
public class Customs {

    private final Warehouse warehouse;

    public Customs(Warehouse warehouse) {
        this.warehouse = warehouse;
    }

    @RetryOn(exceptions = IOException.class, maxAttempts = 8, delay = "10s", maxDelay = "30m")
    @Durable(value = ON_FAILURE, uniqueKey = "#message")
    public void declare(String message, String shipment) throws IOException {
        warehouse.ship(shipment);
    }
}
