// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.invoices;

import static dev.retryon.durable.DurableMode.OUTBOX;

import dev.retryon.RetryContext;
import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import org.springframework.stereotype.Service;

@Service
public class Invoices {

    private final PurchaseOrders orders;

    private final MailServer mails;

    public Invoices(PurchaseOrders orders, MailServer mails) {
        this.orders = orders;
        this.mails = mails;
    }

    @RetryOn(exceptions = MailServer.Unavailable.class, maxAttempts = 10, delay = "30s", maxDelay = "1h")
    @Durable(OUTBOX)
    public void send(String orderId) {
        PurchaseOrder order = orders.findById(orderId).orElseThrow();
        mails.send(order.email(), "Invoice " + orderId, RetryContext.current().callId());
    }
}
