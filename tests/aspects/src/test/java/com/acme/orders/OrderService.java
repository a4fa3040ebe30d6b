// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** A service that calls its own retried methods. */
@Service
public class OrderService {

    private static final AtomicInteger LOOK_UPS = new AtomicInteger();

    private int charges;

    public String order(String item) throws IOException {
        return charge(item) + " at " + price(item);
    }

    @RetryOn(IOException.class)
    @Transactional
    private String charge(String item) throws IOException {
        if (++charges < 3) {
            throw new IOException("not reachable");
        }
        return item + " charged";
    }

    @RetryOn(IOException.class)
    static int price(String item) throws IOException {
        if (LOOK_UPS.incrementAndGet() % 3 != 0) {
            throw new IOException("not reachable");
        }
        return item.length();
    }
}
