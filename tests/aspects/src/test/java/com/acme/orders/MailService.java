// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.springframework.stereotype.Service;

/** A service whose calls survive the process. */
@Service
public class MailService {

    final List<String> attempts = new CopyOnWriteArrayList<>();

    final CountDownLatch sent = new CountDownLatch(1);

    final List<String> statuses = new CopyOnWriteArrayList<>();

    final CountDownLatch delivered = new CountDownLatch(1);

    void sendAll(String customer) throws IOException {
        send(customer);
    }

    @RetryOn(IOException.class)
    @Durable(ON_FAILURE)
    protected void send(String customer) throws IOException {
        attempts.add(customer + " on " + (Thread.currentThread().getName().contains("main") ? "main" : "worker"));
        if (attempts.size() < 3) {
            throw new IOException("not reachable");
        }
        sent.countDown();
    }

    void reportAll(String order, String... states) throws IOException {
        for (String state : states) {
            report(order, state);
        }
    }

    /** The first attempt of the first status fails. */
    @RetryOn(IOException.class)
    @Durable(value = OUTBOX, orderKey = "#order")
    protected void report(String order, String state) throws IOException {
        statuses.add(state);
        if (statuses.size() == 1) {
            throw new IOException("not reachable");
        }
        if (state.equals("delivered")) {
            delivered.countDown();
        }
    }
}
