// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.invoices;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Checkout {

    private final PurchaseOrders orders;

    private final Invoices invoices;

    public Checkout(PurchaseOrders orders, Invoices invoices) {
        this.orders = orders;
        this.invoices = invoices;
    }

    @Transactional
    public void place(String id, String email) {
        orders.save(new PurchaseOrder(id, email));
        invoices.send(id); // stored with the order, sent after the commit
    }
}
