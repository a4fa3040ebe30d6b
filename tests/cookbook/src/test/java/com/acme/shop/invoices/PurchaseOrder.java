// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.invoices;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
public class PurchaseOrder {

    @Id
    private String id;

    private String email;

    protected PurchaseOrder() {}

    public PurchaseOrder(String id, String email) {
        this.id = id;
        this.email = email;
    }

    public String email() {
        return email;
    }
}
