// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.shipments;

import static dev.retryon.durable.DurableMode.ON_FAILURE;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

@Component
public class ShipmentListener {

    private final Warehouse warehouse;

    public ShipmentListener(Warehouse warehouse) {
        this.warehouse = warehouse;
    }

    @KafkaListener(topics = "shipments", groupId = "shop")
    @RetryOn(exceptions = IOException.class, maxAttempts = 8, delay = "10s", maxDelay = "30m")
    @Durable(ON_FAILURE)
    public void ship(String orderId) throws IOException {
        warehouse.ship(orderId);
    }
}
