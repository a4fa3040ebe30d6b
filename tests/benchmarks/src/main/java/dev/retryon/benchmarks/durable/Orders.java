// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.durable;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The bean whose durable methods are called. They do nothing but to say that they were. */
public class Orders {

    static final Duration DELAY = Duration.ofMillis(400);

    private final Arrivals arrivals;

    /** When retries are due, by {@link System#nanoTime()}. */
    private final Map<String, Long> due = new ConcurrentHashMap<>();

    Orders(Arrivals arrivals) {
        this.arrivals = arrivals;
    }

    /**
     * Is stored, and then made by a worker.
     *
     * @param order its argument
     */
    @RetryOn(IOException.class)
    @Durable(OUTBOX)
    public void accept(String order) {
        arrivals.arrived(order);
    }

    /**
     * Is stored, and then made by a worker after those with its key.
     *
     * @param key its order key
     * @param order its argument
     */
    @RetryOn(IOException.class)
    @Durable(value = OUTBOX, orderKey = "#key")
    public void acceptInOrder(int key, String order) {
        arrivals.arrived(order);
    }

    /**
     * Fails at first.
     *
     * @param order its argument
     * @throws IOException on its first attempt
     */
    @RetryOn(exceptions = IOException.class, delay = "400ms", jitter = "none")
    @Durable(ON_FAILURE)
    public void retry(String order) throws IOException {
        if (due.putIfAbsent(order, System.nanoTime() + DELAY.toNanos()) == null) {
            throw new IOException("not yet");
        }
        arrivals.arrived(order);
    }

    /**
     * When the retry of a call is due.
     *
     * @param order its argument
     * @return by {@link System#nanoTime()}
     */
    public long dueOf(String order) {
        Long time = due.get(order);
        if (time == null) {
            throw new IllegalStateException(order + " has not failed");
        }
        return time;
    }
}
