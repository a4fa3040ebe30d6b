// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.durable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** The same measurements for RetryOn and for db-scheduler alone. */
final class DurableMeasurement {

    static final int CALLERS = 4;

    private static final int PAUSE_NANOS = 20_000_000;

    private final Arrivals arrivals;

    DurableMeasurement(Arrivals arrivals) {
        this.arrivals = arrivals;
    }

    /** Calls per second, stored and run. */
    record Rates(double stored, double run) {}

    /** Milliseconds. */
    record Times(double p50, double p99) {

        static Times of(double[] nanos) {
            double[] sorted = nanos.clone();
            Arrays.sort(sorted);
            return new Times(sorted[sorted.length / 2] / 1e6, sorted[(int) (sorted.length * 0.99)] / 1e6);
        }
    }

    /** Stores calls while no worker runs them, then runs them all. */
    Rates rates(Workers workers, int calls) throws Exception {
        arrivals.expect(calls);
        double stored = calls / store(workers, calls);
        long start = System.nanoTime();
        workers.begin();
        arrivals.await();
        double run = calls / seconds(start);
        workers.end();
        return new Rates(stored, run);
    }

    /** Stores calls. Returns the duration in seconds. */
    static double store(Workers workers, int calls) throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        try {
            Callable<Void> asking = () -> {
                for (int i = 0; i < calls / CALLERS; i++) {
                    workers.ask(order());
                }
                return null;
            };
            long start = System.nanoTime();
            for (Future<Void> caller : callers.invokeAll(
                    Stream.generate(() -> asking).limit(CALLERS).toList())) {
                caller.get();
            }
            return seconds(start);
        } finally {
            callers.shutdownNow();
        }
    }

    /** Returns how late due retries run. */
    Times lag(Workers workers, int calls) throws Exception {
        arrivals.expect(calls);
        workers.begin();
        List<String> orders = new ArrayList<>();
        double[] due = new double[calls];
        for (int i = 0; i < calls; i++) {
            String order = order();
            orders.add(order);
            due[i] = workers.askLater(order);
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        arrivals.await();
        double[] late = new double[calls];
        for (int i = 0; i < calls; i++) {
            late[i] = arrivals.timeOf(orders.get(i)) - due[i];
        }
        workers.end();
        return Times.of(late);
    }

    /** Returns the time from the start of the workers until a due call runs, in milliseconds. */
    double start(Workers workers) throws Exception {
        arrivals.expect(1);
        workers.ask(order());
        long start = System.nanoTime();
        workers.begin();
        arrivals.await();
        double millis = seconds(start) * 1e3;
        workers.end();
        return millis;
    }

    /** Returns the times from storing a call until it runs. Calls run one after the other, so each takes a poll. */
    Times single(Workers workers, int calls) throws Exception {
        workers.begin();
        double[] times = new double[calls];
        for (int i = 0; i < calls; i++) {
            arrivals.expect(1);
            String order = order();
            long start = System.nanoTime();
            workers.ask(order);
            arrivals.await();
            times[i] = arrivals.timeOf(order) - start;
        }
        workers.end();
        return Times.of(times);
    }

    private static String order() {
        return UUID.randomUUID().toString();
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }
}
