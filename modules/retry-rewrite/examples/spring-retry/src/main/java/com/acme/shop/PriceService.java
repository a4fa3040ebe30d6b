package com.acme.shop;

import java.io.IOException;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.Recover;
import org.springframework.retry.annotation.Retryable;
import org.springframework.stereotype.Service;

/** Looks up the prices of items. */
@Service
public class PriceService {

    private final PriceList priceList;

    public PriceService(PriceList priceList) {
        this.priceList = priceList;
    }

    @Retryable(
            retryFor = IOException.class,
            maxAttempts = 4,
            backoff = @Backoff(delay = 10, multiplier = 2, maxDelay = 50, random = true))
    public String price(String item) throws IOException {
        return priceList.look(item);
    }

    @Recover
    public String yesterdays(Throwable error, String item) {
        return item + ": 10 EUR, yesterday";
    }
}
