/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.engine;

import dev.retryon.benchmarks.call.Call;
import dev.retryon.benchmarks.call.Scenario;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** One call under an engine. Each engine in each scenario has a JVM of its own. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EngineBenchmark {

    /**
     * Makes the call.
     *
     * @param prepared the thread's call
     * @return what it returned or threw
     */
    @Benchmark
    public @Nullable Object call(PreparedCall prepared) {
        return Objects.requireNonNull(prepared.call).make();
    }

    /** A call of the thread's own. */
    @State(Scope.Thread)
    public static class PreparedCall {

        /** The engine. */
        @Param
        public Engine engine = Engine.HAND;

        /** How the attempts go. */
        @Param
        public Scenario scenario = Scenario.SUCCEED;

        @Nullable Call call;

        /** Prepares and checks the call. */
        @Setup
        public void prepare() {
            call = engine.call(scenario);
        }
    }
}
