// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.measure;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Settings of benchmarks that do one long thing in a new JVM and count themselves. Their figures are counters
 * ({@link org.openjdk.jmh.annotations.AuxCounters}), which JMH writes beside the time of the whole benchmark.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms1g", "-Xmx1g", "-XX:+UseG1GC"})
@Warmup(iterations = 0)
@Measurement(iterations = 1)
public abstract class SingleRun {

    /** Returns the heap in use after a collection, in bytes. */
    public static long usedHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
