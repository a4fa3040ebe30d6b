/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.async;

import dev.retryon.benchmarks.measure.ClassPath;
import dev.retryon.benchmarks.measure.ForkedJava;
import dev.retryon.benchmarks.measure.Gauge;
import dev.retryon.benchmarks.measure.Sample;
import java.time.Duration;
import java.util.Arrays;

/** How much memory a call keeps while it waits for its next attempt, its future included. */
public final class WaitingCalls {

    private static final int CALLS = 100_000;

    private WaitingCalls() {}

    /**
     * Measures an engine.
     *
     * @param engine the engine
     * @return a gauge; bytes are those kept by one call, time is that of beginning one in a JVM that is still cold
     */
    public static Gauge gauge(AsyncEngine engine) {
        return pace -> ForkedJava.run(ClassPath.of(file -> true), WaitingCalls.class, engine.name());
    }

    /**
     * Lets calls wait for an hour, and reports the heap that they keep.
     *
     * @param arguments the name of an {@link AsyncEngine}
     * @throws InterruptedException if it is interrupted
     */
    public static void main(String[] arguments) throws InterruptedException {
        AsyncEngine.AsyncCalls calls = AsyncEngine.valueOf(arguments[0]).start(Duration.ofHours(1));
        Attempts[] attempts = new Attempts[CALLS];
        Arrays.setAll(attempts, i -> new Attempts());
        Object[] futures = new Object[CALLS];
        futures[0] = calls.call(attempts[0]);
        long empty = ForkedJava.usedHeap();
        long before = System.nanoTime();
        for (int i = 1; i < CALLS; i++) {
            futures[i] = calls.call(attempts[i]);
        }
        long nanos = System.nanoTime() - before;
        while (attempts[CALLS - 1].made() == 0) {
            Thread.sleep(1);
        }
        long full = ForkedJava.usedHeap();
        if (Arrays.stream(attempts).anyMatch(call -> call.made() != 1)
                || Arrays.asList(futures).contains(null)) {
            throw new IllegalStateException("a call has ended, or has not begun");
        }
        ForkedJava.report(new Sample((double) nanos / (CALLS - 1), (double) (full - empty) / (CALLS - 1)));
        System.exit(0);
    }
}
