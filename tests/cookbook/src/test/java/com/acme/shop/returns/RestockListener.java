// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.returns;

import static dev.retryon.durable.DurableMode.ON_FAILURE;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.stereotype.Component;

@Component
public class RestockListener {

    private final Shelves shelves;

    public RestockListener(Shelves shelves) {
        this.shelves = shelves;
    }

    @RabbitListener(queues = "restock")
    @RetryOn(exceptions = IOException.class, maxAttempts = 8, delay = "10s", maxDelay = "30m")
    @Durable(ON_FAILURE)
    public void restock(String item) throws IOException {
        shelves.restock(item);
    }
}
