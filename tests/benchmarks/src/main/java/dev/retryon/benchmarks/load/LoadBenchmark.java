// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.load;

import dev.retryon.benchmarks.measure.SingleRun;
import java.time.Duration;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Many asynchronous calls in flight together. Each fails twice and waits a second each time. */
public class LoadBenchmark extends SingleRun {

    @Benchmark
    public void calls(Settings settings, Figures figures) throws InterruptedException {
        Load.Sample sample = new Load(settings.contender, settings.calls).measure(Duration.ofSeconds(1));
        figures.millis = sample.wallMillis();
        figures.threads = sample.threads();
        figures.heapMegabytes = sample.heapBytes() / 1e6;
        figures.bytesPerCall = (double) sample.heapBytes() / settings.calls;
        figures.inFlight = sample.inFlight();
        figures.completed = sample.completed();
    }

    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class Settings {

        @Param("100000")
        public int calls;

        @Param
        public LoadEngine contender;
    }

    /** See {@link Load.Sample}. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Figures {

        public double millis;

        public int threads;

        public double heapMegabytes;

        public double bytesPerCall;

        public int inFlight;

        public int completed;
    }
}
