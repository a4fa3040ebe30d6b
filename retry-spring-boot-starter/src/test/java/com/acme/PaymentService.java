// SPDX-License-Identifier: Apache-2.0
package com.acme;

import dev.retryon.spring.RetryOn;
import java.io.IOException;

/** The class with the fault of the documentation's example. */
public class PaymentService {

    @RetryOn(value = IOException.class, delay = "5 parsecs", recover = "fallback")
    public String charge(String order) throws IOException {
        return order;
    }

    String fallback(int order, IOException error) {
        return "later";
    }
}
