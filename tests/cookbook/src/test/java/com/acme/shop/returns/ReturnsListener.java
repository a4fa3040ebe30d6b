// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.returns;

import dev.retryon.spring.RetryOn;
import java.io.IOException;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.stereotype.Component;

@Component
public class ReturnsListener {

    private final Refunds refunds;

    public ReturnsListener(Refunds refunds) {
        this.refunds = refunds;
    }

    @RabbitListener(queues = "returns")
    @RetryOn(exceptions = IOException.class, maxAttempts = 3, delay = "500ms", timeout = "10s")
    public void refund(String orderId) throws IOException {
        refunds.pay(orderId);
    }
}
