package com.acme.shop;

import java.io.IOException;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.stereotype.Service;

/** Looks up the prices of items. */
@Service
public class PriceService {

    private final PriceList priceList;

    public PriceService(PriceList priceList) {
        this.priceList = priceList;
    }

    @Retryable(includes = IOException.class, maxRetriesString = "${prices.retries:3}", delay = 10, jitter = 5)
    public String price(String item) throws IOException {
        return priceList.look(item);
    }
}
