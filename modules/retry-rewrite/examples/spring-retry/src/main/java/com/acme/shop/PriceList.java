package com.acme.shop;

import java.io.IOException;
import org.springframework.stereotype.Component;

/** The price list of another company, whose server is sometimes busy. */
@Component
public class PriceList {

    private int calls;

    private int busyCalls;

    private boolean broken;

    /** Makes the next calls fail. */
    public void isBusyFor(int calls) {
        this.calls = 0;
        this.busyCalls = calls;
        this.broken = false;
    }

    /** Makes the next calls fail with an {@link Error}. */
    public void isBroken() {
        this.calls = 0;
        this.broken = true;
    }

    public int calls() {
        return calls;
    }

    String look(String item) throws IOException {
        calls++;
        if (broken) {
            throw new NoClassDefFoundError("com/acme/shop/Currency");
        }
        if (calls <= busyCalls) {
            throw new IOException("busy");
        }
        return item + ": 12 EUR";
    }
}
