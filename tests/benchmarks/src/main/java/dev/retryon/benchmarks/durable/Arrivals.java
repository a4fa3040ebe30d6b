// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.durable;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** When calls were made. Thread-safe. */
final class Arrivals {

    private static final long PATIENCE_MINUTES = 10;

    private final Map<String, Long> times = new ConcurrentHashMap<>();

    private final AtomicInteger runs = new AtomicInteger();

    private volatile CountDownLatch missing = new CountDownLatch(0);

    /** Forgets what was, and waits for a number of calls. */
    void expect(int calls) {
        times.clear();
        missing = new CountDownLatch(calls);
    }

    /** How often calls were made, each time if a call was made twice. */
    int runs() {
        return runs.get();
    }

    /** When calls were made since the last time, by their orders. */
    Map<String, Long> take() {
        Map<String, Long> taken = Map.copyOf(times);
        times.keySet().removeAll(taken.keySet());
        return taken;
    }

    /** A call is made. */
    void arrived(String order) {
        runs.incrementAndGet();
        if (times.put(order, System.nanoTime()) == null) {
            missing.countDown();
        }
    }

    /** Waits until all expected calls are made. */
    void await() throws InterruptedException {
        if (!missing.await(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
            throw new IllegalStateException(missing.getCount() + " calls were not made");
        }
    }

    /** When a call was made, by {@link System#nanoTime()}. */
    long timeOf(String order) {
        Long time = times.get(order);
        if (time == null) {
            throw new IllegalStateException(order + " was not made");
        }
        return time;
    }
}
