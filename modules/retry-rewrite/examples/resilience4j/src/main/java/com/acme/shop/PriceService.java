package com.acme.shop;

import java.io.IOException;
import io.github.resilience4j.retry.annotation.Retry;
import org.springframework.stereotype.Service;

/** Looks up the prices of items. */
@Service
public class PriceService {

    private final PriceList priceList;

    public PriceService(PriceList priceList) {
        this.priceList = priceList;
    }

    @Retry(name = "prices", fallbackMethod = "yesterdays")
    public String price(String item) throws IOException {
        return priceList.look(item);
    }

    private String yesterdays(String item, Throwable error) {
        return item + ": 10 EUR, yesterday";
    }
}
