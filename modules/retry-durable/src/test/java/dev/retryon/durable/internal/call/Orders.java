// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;

import dev.retryon.RetryContext;
import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;

/** What is done in processes that are killed. The name of an order says how it goes: "2-17" succeeds in its second attempt. */
class Orders {

    /** So many attempts are made; an order that would succeed later dies. */
    static final int ATTEMPTS = 3;

    /** What a process ends with that makes a deadly call. */
    static final int DEADLY = 42;

    private final Journal journal;

    private final Runnable gate;

    private volatile boolean isDown;

    Orders(Journal journal) {
        this(journal, () -> {});
    }

    /** With a gate that retries of {@link #placeLong}, and calls of {@link #keepLong}, wait at. */
    Orders(Journal journal, Runnable gate) {
        this.journal = journal;
        this.gate = gate;
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

    @RetryOn(value = IOException.class, maxAttempts = ATTEMPTS)
    @Durable(ON_FAILURE)
    public void place(String order) throws IOException {
        attempt(order);
    }

    @RetryOn(value = IOException.class, maxAttempts = ATTEMPTS)
    @Durable(OUTBOX)
    public void announce(String order) throws IOException {
        attempt(order);
    }

    /** A call that is not durable, and kept when it fails. */
    @RetryOn(value = IOException.class, maxAttempts = 1)
    @Durable(ON_EXHAUSTION)
    public void keep(String order) throws IOException {
        attempt(order);
    }

    /** A call that is not durable, and kept while the shop is down. When the shop is open again, it takes long. */
    @RetryOn(value = IOException.class, maxAttempts = 2)
    @Durable(ON_EXHAUSTION)
    public void keepLong(String order) throws IOException {
        RetryContext call = RetryContext.current();
        journal.write(Journal.Event.ATTEMPT, order, call.callId(), call.attempt());
        if (isDown) {
            throw new IOException("down");
        }
        gate.run();
        journal.write(Journal.Event.EFFECT, order, call.callId(), call.attempt());
    }

    void setDown(boolean down) {
        isDown = down;
    }

    /** A call whose retries end the process. */
    @RetryOn(value = IOException.class, maxAttempts = ATTEMPTS)
    @Durable(ON_FAILURE)
    public void placeDeadly(String order) throws IOException {
        failAtFirst(order);
        Runtime.getRuntime().halt(DEADLY);
    }

    /** A call whose retries take long, and look whether they are still held then. */
    @RetryOn(value = IOException.class, maxAttempts = ATTEMPTS)
    @Durable(ON_FAILURE)
    public void placeLong(String order) throws IOException {
        failAtFirst(order);
        gate.run();
        RetryContext call = RetryContext.current();
        Journal.Event lease = call.leaseValid() ? Journal.Event.HOLDS : Journal.Event.LAPSED;
        journal.write(lease, order, call.callId(), call.attempt());
    }

    private void failAtFirst(String order) throws IOException {
        RetryContext call = RetryContext.current();
        journal.write(Journal.Event.ATTEMPT, order, call.callId(), call.attempt());
        if (call.attempt() == 1) {
            throw new IOException("down 1");
        }
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
