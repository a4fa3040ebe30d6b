// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.durable;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The times at which calls ran. Thread-safe. */
final class Arrivals {

    private static final long PATIENCE_MINUTES = 10;

    private final Map<String, Long> times = new ConcurrentHashMap<>();

    private final AtomicInteger runs = new AtomicInteger();

    private volatile CountDownLatch missing = new CountDownLatch(0);

    void expect(int calls) {
        times.clear();
        missing = new CountDownLatch(calls);
    }

    /** Returns the number of runs, including repeated runs of one call. */
    int runs() {
        return runs.get();
    }

    /** Returns the times of calls since the last invocation, by order. */
    Map<String, Long> take() {
        Map<String, Long> taken = Map.copyOf(times);
        times.keySet().removeAll(taken.keySet());
        return taken;
    }

    void arrived(String order) {
        runs.incrementAndGet();
        if (times.put(order, System.nanoTime()) == null) {
            missing.countDown();
        }
    }

    void await() throws InterruptedException {
        if (!missing.await(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
            throw new IllegalStateException(missing.getCount() + " calls were not made");
        }
    }

    /** Returns when a call ran, by {@link System#nanoTime()}. */
    long timeOf(String order) {
        Long time = times.get(order);
        if (time == null) {
            throw new IllegalStateException(order + " was not made");
        }
        return time;
    }
}
