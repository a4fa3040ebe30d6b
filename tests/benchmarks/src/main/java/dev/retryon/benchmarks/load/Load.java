// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.load;

import dev.retryon.benchmarks.measure.SingleRun;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Measures one contender: a warm-up, a round for time and threads, and calls that wait for an hour for the heap. With
 * shorter waits, the number of waiting calls would vary.
 */
final class Load {

    private static final Duration LONG = Duration.ofHours(1);

    /** The time after which calls that do not end are given up. */
    private static final long LIMIT = Duration.ofMinutes(2).toNanos();

    private final LoadEngine engine;

    private final int calls;

    private final AtomicInteger executorThreads = new AtomicInteger();

    Load(LoadEngine engine, int calls) {
        this.engine = engine;
        this.calls = calls;
    }

    /**
     * The figures of one run.
     *
     * @param wallMillis the time from the start of the first call to the end of the last one
     * @param threads the maximum number of threads, without those of the executor and those that existed before
     * @param heapBytes the heap that waiting calls occupy
     * @param inFlight the number of calls that had not ended when the last one began
     * @param completed the number of calls that returned the value of their third attempt
     */
    record Sample(double wallMillis, int threads, long heapBytes, int inFlight, int completed) {}

    Sample measure(Duration delay) throws InterruptedException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        int before = threads.getThreadCount();
        threads.resetPeakThreadCount();
        Round measured;
        int peak;
        try (LoadEngine.LoadCalls target = engine.start(delay, this::newThread)) {
            round(target);
            measured = round(target);
            peak = threads.getPeakThreadCount() - before - executorThreads.get();
        }
        return new Sample(measured.nanos / 1e6, peak, held(), measured.inFlight, measured.completed);
    }

    private Thread newThread(Runnable task) {
        executorThreads.incrementAndGet();
        Thread thread = new Thread(task, "executor");
        thread.setDaemon(true);
        return thread;
    }

    private record Round(long nanos, int inFlight, int completed) {}

    private Round round(LoadEngine.LoadCalls target) throws InterruptedException {
        LoadCall[] made = newCalls(new CountDownLatch(calls));
        CompletableFuture<?>[] futures = new CompletableFuture<?>[calls];
        long start = System.nanoTime();
        begin(target, made, futures);
        int inFlight =
                (int) Arrays.stream(futures).filter(future -> !future.isDone()).count();
        int completed = 0;
        for (int i = 0; i < calls; i++) {
            if (ended(futures[i], start + LIMIT) == made[i] && made[i].made() == LoadCall.ATTEMPTS) {
                completed++;
            }
        }
        return new Round(System.nanoTime() - start, inFlight, completed);
    }

    /** Returns the value of a call, or another object if the call failed or did not end. */
    private static Object ended(CompletableFuture<?> future, long deadline) throws InterruptedException {
        try {
            return future.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException ex) {
            return ex;
        }
    }

    private LoadCall[] newCalls(CountDownLatch begun) {
        LoadCall[] made = new LoadCall[calls];
        Arrays.setAll(made, i -> new LoadCall(begun));
        return made;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // kept in the array
    private static void begin(LoadEngine.LoadCalls target, LoadCall[] made, CompletableFuture<?>[] futures) {
        for (int i = 0; i < made.length; i++) {
            futures[i] = target.begin(made[i]).toCompletableFuture();
        }
    }

    /** Returns the heap that waiting calls occupy with their futures, without the objects that the caller passes to them. */
    private long held() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(calls);
        LoadCall[] made = newCalls(begun);
        CompletableFuture<?>[] futures = new CompletableFuture<?>[calls];
        try (LoadEngine.LoadCalls target = engine.start(LONG, this::newThread)) {
            long empty = SingleRun.usedHeap();
            begin(target, made, futures);
            begun.await();
            long full = SingleRun.usedHeap();
            for (int i = 0; i < calls; i++) {
                if (futures[i].isDone() || made[i].made() != 1) {
                    throw new IllegalStateException(engine + ": a call does not wait for its second attempt");
                }
            }
            return full - empty;
        }
    }
}
