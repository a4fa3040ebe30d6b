// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.shipments;

import static dev.retryon.durable.DurableMode.OUTBOX;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.util.concurrent.CompletableFuture;
import org.springframework.kafka.KafkaException;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Service;

@Service
public class OrderEvents {

    private final KafkaTemplate<String, String> kafka;

    public OrderEvents(KafkaTemplate<String, String> kafka) {
        this.kafka = kafka;
    }

    @RetryOn(exceptions = KafkaException.class, maxAttempts = 8, delay = "10s", maxDelay = "30m")
    @Durable(value = OUTBOX, orderKey = "#orderId")
    public CompletableFuture<Void> publish(String orderId, String event) {
        return kafka.send("orders", orderId, event).thenAccept(sent -> {});
    }
}
