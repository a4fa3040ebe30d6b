// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance.soak;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;

import dev.retryon.DeadLettered;
import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.BitSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** A durable method of each kind, whose attempts succeed or fail by chance, and the number of their calls by outcome. */
class DurableSoakCalls implements RetryListener {

    private final SoakFaults faults;

    private final BitSet run = new BitSet();

    private final LongAdder attempts = new LongAdder();

    private final LongAdder runTwice = new LongAdder();

    private final LongAdder dead = new LongAdder();

    DurableSoakCalls(SoakFaults faults) {
        this.faults = faults;
    }

    @RetryOn(exceptions = IOException.class, maxAttempts = 3, delay = "1ms", maxDelay = "3ms")
    @Durable(OUTBOX)
    public void outbox(int number) throws IOException {
        attempt(number);
    }

    @RetryOn(exceptions = IOException.class, maxAttempts = 3, delay = "1ms", maxDelay = "3ms", onlyIf = "isOpen()")
    @Durable(ON_FAILURE)
    public void onFailure(int number) throws IOException {
        attempt(number);
    }

    /** A gate that sometimes fails if faults are enabled. */
    public boolean isOpen() {
        faults.maybeThrow();
        return true;
    }

    private void attempt(int number) throws IOException {
        attempts.increment();
        int draw = ThreadLocalRandom.current().nextInt(100);
        if (draw < 30) {
            throw new IOException("attempt");
        }
        if (draw < 33) {
            throw new IllegalStateException("not retried");
        }
        synchronized (run) {
            if (run.get(number)) {
                runTwice.increment();
            }
            run.set(number);
        }
    }

    @Override
    public void onEvent(RetryEvent event) {
        if (event instanceof DeadLettered) {
            dead.increment();
        }
    }

    long attempts() {
        return attempts.sum();
    }

    /** The number of different calls that have succeeded. */
    long run() {
        synchronized (run) {
            return run.cardinality();
        }
    }

    long runTwice() {
        return runTwice.sum();
    }

    long dead() {
        return dead.sum();
    }
}
