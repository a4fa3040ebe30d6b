/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.waits;

import com.sun.management.OperatingSystemMXBean;
import dev.retryon.benchmarks.call.TransientFault;
import dev.retryon.benchmarks.measure.ClassPath;
import dev.retryon.benchmarks.measure.ForkedJava;
import dev.retryon.benchmarks.measure.Gauge;
import dev.retryon.benchmarks.measure.Sample;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Threads that make a blocking call each, all at once. Each call fails three times and waits a second each time. The threads
 * are virtual where the JVM has such threads, else platform threads.
 */
public final class BlockingWaits {

    private static final int ATTEMPTS = 4;

    private static final Duration DELAY = Duration.ofSeconds(1);

    private static final int WARM_UPS = 10;

    private static final Duration WARM_UP_DELAY = Duration.ofMillis(10);

    private BlockingWaits() {}

    /**
     * How many calls wait at once, in one comparison each.
     *
     * @return the numbers, up to what the threads of this JVM allow
     */
    public static List<Integer> sizes() {
        return isVirtual() ? List.of(1_000, 10_000, 50_000) : List.of(1_000, 4_000);
    }

    /**
     * Measures a waiter.
     *
     * @param waiter the waiter
     * @param calls how many calls wait at once
     * @return a gauge; time is that of all calls together, and in place of bytes stand milliseconds of processor time
     */
    public static Gauge gauge(Waiter waiter, int calls) {
        return pace ->
                ForkedJava.run(ClassPath.of(file -> true), BlockingWaits.class, waiter.name(), Integer.toString(calls));
    }

    /**
     * Makes the calls, and reports what they took.
     *
     * @param arguments the name of a {@link Waiter}, and how many calls to make
     * @throws Exception if a call fails
     */
    public static void main(String[] arguments) throws Exception {
        Waiter waiter = Waiter.valueOf(arguments[0]);
        int calls = Integer.parseInt(arguments[1]);
        for (int i = 0; i < WARM_UPS; i++) {
            run(waiter.start(ATTEMPTS, WARM_UP_DELAY), calls);
        }
        OperatingSystemMXBean process = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        long processor = process.getProcessCpuTime();
        long start = System.nanoTime();
        run(waiter.start(ATTEMPTS, DELAY), calls);
        long nanos = System.nanoTime() - start;
        ForkedJava.report(new Sample(nanos, (process.getProcessCpuTime() - processor) / 1e6));
        System.exit(0);
    }

    private static void run(Waiter.Calls calls, int number) throws Exception {
        ExecutorService threads = threads();
        List<Future<Object>> running = new ArrayList<>(number);
        for (int i = 0; i < number; i++) {
            running.add(threads.submit(() -> {
                int[] attempts = {0};
                return calls.call(() -> {
                    if (++attempts[0] < ATTEMPTS) {
                        throw new TransientFault();
                    }
                    return attempts[0];
                });
            }));
        }
        for (Future<Object> call : running) {
            if (!call.get().equals(ATTEMPTS)) {
                throw new IllegalStateException("wanted " + ATTEMPTS + " attempts, saw " + call.get());
            }
        }
        threads.shutdown();
    }

    private static boolean isVirtual() {
        return Runtime.version().feature() >= 21;
    }

    private static ExecutorService threads() throws ReflectiveOperationException {
        return isVirtual()
                ? (ExecutorService) Executors.class
                        .getMethod("newVirtualThreadPerTaskExecutor")
                        .invoke(null)
                : Executors.newCachedThreadPool();
    }
}
