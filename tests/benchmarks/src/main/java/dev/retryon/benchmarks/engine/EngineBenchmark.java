// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.engine;

import dev.retryon.benchmarks.call.Call;
import dev.retryon.benchmarks.call.Scenario;
import dev.retryon.benchmarks.measure.RepeatedCall;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** One call under an engine, without Spring. The limit is a hand-written loop. */
public class EngineBenchmark extends RepeatedCall {

    @Benchmark
    public @Nullable Object call(PreparedCall prepared) {
        return prepared.prepared.make();
    }

    /** One of ten attempts. */
    @Benchmark
    @OperationsPerInvocation(10)
    public @Nullable Object attempts10(TenAttempts prepared) {
        return prepared.prepared.make();
    }

    /** One of a thousand attempts. */
    @Benchmark
    @OperationsPerInvocation(1000)
    public @Nullable Object attempts1000(ThousandAttempts prepared) {
        return prepared.prepared.make();
    }

    /** A call of each thread. JMH sorts by the names of parameters, so the contenders of a scenario run in sequence. */
    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class PreparedCall {

        @Param({"SUCCEED", "FAIL_TWICE", "REFUSE", "EXHAUST", "GATE"})
        public Scenario call;

        @Param
        public Engine contender;

        Call prepared;

        @Setup
        public void prepare() {
            prepared = contender.call(call);
        }
    }

    @State(Scope.Thread)
    public static class TenAttempts {

        final Call prepared = Engine.RETRY_ON.call(Scenario.FAIL_9);
    }

    @State(Scope.Thread)
    public static class ThousandAttempts {

        final Call prepared = Engine.RETRY_ON.call(Scenario.FAIL_999);
    }
}
