// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.stock;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;

@Entity
public class Stock {

    @Id
    private String item;

    @Version
    private long version;

    private int amount;

    protected Stock() {}

    public Stock(String item, int amount) {
        this.item = item;
        this.amount = amount;
    }

    public void take(int count) {
        if (count > amount) {
            throw new IllegalStateException("only " + amount + " of " + item + " left");
        }
        amount -= count;
    }

    public int amount() {
        return amount;
    }
}
