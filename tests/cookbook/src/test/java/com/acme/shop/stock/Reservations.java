// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.stock;

import dev.retryon.spring.RetryOn;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Reservations {

    private final StockRepository stocks;

    public Reservations(StockRepository stocks) {
        this.stocks = stocks;
    }

    @RetryOn(policy = "jdbc-transient", maxAttempts = 5, delay = "20ms")
    @Transactional
    public void reserve(String item, int count) {
        stocks.findById(item).orElseThrow().take(count);
    }
}
