// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.waits;

import com.sun.management.OperatingSystemMXBean;
import dev.retryon.benchmarks.call.TransientFault;
import dev.retryon.benchmarks.measure.SingleRun;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Threads that run a blocking call each, all at the same time. Each call fails three times and waits a second each time. The
 * threads are virtual if the JVM has such threads, else platform threads.
 */
public class BlockingWaitsBenchmark extends SingleRun {

    private static final int ATTEMPTS = 4;

    private static final Duration DELAY = Duration.ofSeconds(1);

    private static final int WARM_UPS = 10;

    private static final Duration WARM_UP_DELAY = Duration.ofMillis(10);

    @Benchmark
    public void calls(Waiters waiters, Figures figures) throws Exception {
        OperatingSystemMXBean process = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        long processor = process.getProcessCpuTime();
        long start = System.nanoTime();
        run(waiters.contender.start(ATTEMPTS, DELAY), waiters.atOnce);
        figures.millis = (System.nanoTime() - start) / 1e6;
        figures.cpuMillis = (process.getProcessCpuTime() - processor) / 1e6;
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

    private static ExecutorService threads() throws ReflectiveOperationException {
        return Runtime.version().feature() >= 21
                ? (ExecutorService) Executors.class
                        .getMethod("newVirtualThreadPerTaskExecutor")
                        .invoke(null)
                : Executors.newCachedThreadPool();
    }

    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class Waiters {

        /** The number of calls. With platform threads, 4,000 are possible. */
        @Param({"1000", "4000"})
        public int atOnce;

        @Param
        public Waiter contender;

        @Setup
        public void warmUp() throws Exception {
            for (int i = 0; i < WARM_UPS; i++) {
                run(contender.start(ATTEMPTS, WARM_UP_DELAY), atOnce);
            }
        }
    }

    /** Of all calls together: the time, and the CPU time of the process. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Figures {

        public double millis;

        public double cpuMillis;
    }
}
