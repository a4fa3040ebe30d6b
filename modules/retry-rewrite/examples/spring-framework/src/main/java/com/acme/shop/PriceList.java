package com.acme.shop;

import java.io.IOException;
import org.springframework.stereotype.Component;

/** The price list of another company, whose server is sometimes busy. */
@Component
public class PriceList {

    private int calls;

    private int busyCalls;

    /** Makes the next calls fail. */
    public void isBusyFor(int calls) {
        this.calls = 0;
        this.busyCalls = calls;
    }

    public int calls() {
        return calls;
    }

    String look(String item) throws IOException {
        calls++;
        if (calls <= busyCalls) {
            throw new IOException("busy");
        }
        return item + ": 12 EUR";
    }
}
