// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.rates;

import dev.retryon.spring.RetryOn;
import java.io.IOException;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
public class ExchangeRates {

    private final CentralBank bank;

    private volatile String rates = "none";

    public ExchangeRates(CentralBank bank) {
        this.bank = bank;
    }

    @Scheduled(fixedDelayString = "15m")
    @RetryOn(exceptions = IOException.class, maxAttempts = 5, delay = "5s", timeout = "5m")
    public void refresh() throws IOException {
        rates = bank.rates();
    }

    public String rates() {
        return rates;
    }
}
