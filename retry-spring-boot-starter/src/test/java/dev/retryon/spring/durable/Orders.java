/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import dev.retryon.RetryContext;
import dev.retryon.spring.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;

/** What is done in processes that are killed. The name of an order says how it goes: "2-17" succeeds in its second attempt. */
class Orders {

    /** So many attempts are made; an order that would succeed later dies. */
    static final int ATTEMPTS = 3;

    private final Journal journal;

    Orders(Journal journal) {
        this.journal = journal;
    }

    static String order(int attempts, String rest) {
        return attempts + "-" + rest;
    }

    static boolean dies(String order) {
        return attempts(order) > ATTEMPTS;
    }

    private static int attempts(String order) {
        return Integer.parseInt(order.substring(0, order.indexOf('-')));
    }

    @RetryOn(value = IOException.class, maxAttempts = ATTEMPTS, durable = Durable.ON_FAILURE)
    public void place(String order) throws IOException {
        attempt(order);
    }

    @RetryOn(value = IOException.class, maxAttempts = ATTEMPTS, durable = Durable.OUTBOX)
    public void announce(String order) throws IOException {
        attempt(order);
    }

    private void attempt(String order) throws IOException {
        RetryContext call = RetryContext.current();
        journal.write(Journal.Event.ATTEMPT, order, call.callId(), call.attempt());
        if (call.attempt() < attempts(order)) {
            throw new IOException("down " + call.attempt());
        }
        journal.write(Journal.Event.EFFECT, order, call.callId(), call.attempt());
    }
}
