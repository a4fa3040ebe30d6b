/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.proxy;

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
import org.openjdk.jmh.annotations.TearDown;

/** One call through a Spring proxy. Each bean in each scenario has a JVM of its own. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ProxyBenchmark {

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

    /** The application, one for all threads. */
    @State(Scope.Benchmark)
    public static class Application {

        /** The bean to call. */
        @Param
        public Proxied proxied = Proxied.PLAIN;

        /** How the attempts go. */
        @Param
        public Scenario scenario = Scenario.SUCCEED;

        @Nullable ProxyContext context;

        /** Starts the application. */
        @Setup
        public void start() {
            context = ProxyContext.startFor(proxied);
        }

        /** Ends it. */
        @TearDown
        public void close() {
            Objects.requireNonNull(context).close();
        }
    }

    /** A call of the thread's own. */
    @State(Scope.Thread)
    public static class PreparedCall {

        @Nullable Call call;

        /**
         * Prepares and checks the call.
         *
         * @param application the application
         */
        @Setup
        public void prepare(Application application) {
            call = Objects.requireNonNull(application.context).call(application.proxied, application.scenario);
        }
    }
}
