// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.async;

import dev.retryon.benchmarks.measure.SingleRun;
import java.time.Duration;
import java.util.Arrays;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The memory that a call keeps while it waits for its next attempt, its future included. */
public class WaitingCallsBenchmark extends SingleRun {

    private static final int CALLS = 100_000;

    /** Lets calls wait for an hour. */
    @Benchmark
    public Object calls(StartedEngine engine, Figures figures) throws InterruptedException {
        Attempts[] attempts = new Attempts[CALLS];
        Arrays.setAll(attempts, i -> new Attempts());
        Object[] futures = new Object[CALLS];
        futures[0] = engine.calls.call(attempts[0]);
        long empty = usedHeap();
        long before = System.nanoTime();
        for (int i = 1; i < CALLS; i++) {
            futures[i] = engine.calls.call(attempts[i]);
        }
        long nanos = System.nanoTime() - before;
        while (attempts[CALLS - 1].made() == 0) {
            Thread.sleep(1);
        }
        long full = usedHeap();
        if (Arrays.stream(attempts).anyMatch(call -> call.made() != 1)
                || Arrays.asList(futures).contains(null)) {
            throw new IllegalStateException("a call has ended, or has not begun");
        }
        figures.beginNanos = (double) nanos / (CALLS - 1);
        figures.keptBytes = (double) (full - empty) / (CALLS - 1);
        return futures;
    }

    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class StartedEngine {

        @Param
        public AsyncEngine contender;

        AsyncEngine.AsyncCalls calls;

        @Setup
        public void start() {
            calls = contender.start(Duration.ofHours(1));
        }

        @TearDown
        public void close() {
            calls.close();
        }
    }

    /** Of one call: the time to begin it in a JVM that is still cold, and the heap that it keeps. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Figures {

        public double beginNanos;

        public double keptBytes;
    }
}
