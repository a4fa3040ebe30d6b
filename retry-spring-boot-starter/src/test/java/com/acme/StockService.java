// SPDX-License-Identifier: Apache-2.0
package com.acme;

import dev.retryon.spring.RetryOn;
import java.io.IOException;

/** A class without faults, for faults in properties. */
public class StockService {

    @RetryOn(IOException.class)
    public int reserve(String article, int count) throws IOException {
        return count;
    }

    @RetryOn(value = IOException.class, policy = "${stock.policy:}")
    public int release(String article) throws IOException {
        return 0;
    }

    public int inStock(String article) {
        return 0;
    }
}
