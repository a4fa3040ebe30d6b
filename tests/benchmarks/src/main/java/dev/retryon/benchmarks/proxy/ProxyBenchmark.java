// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.proxy;

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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/**
 * One call through a Spring proxy. The limit is an empty advice, or a hand-written loop where something is retried.
 *
 * <p>Each state lists the contenders of its benchmark. JMH sorts by the names of parameters, so the contenders of a scenario
 * run in sequence.
 */
public class ProxyBenchmark extends RepeatedCall {

    /** Calls with a single attempt. */
    @Benchmark
    public @Nullable Object once(Advices state) {
        return state.prepared.make();
    }

    @Benchmark
    @Threads(2)
    public @Nullable Object onceOnTwoThreads(Succeeding state) {
        return state.prepared.make();
    }

    /** Calls with three attempts. */
    @Benchmark
    public @Nullable Object retried(Loops state) {
        return state.prepared.make();
    }

    @Benchmark
    public @Nullable Object transactionalOnce(TransactionalAdvices state) {
        return state.prepared.make();
    }

    @Benchmark
    public @Nullable Object transactionalRetried(TransactionalLoops state) {
        return state.prepared.make();
    }

    @Benchmark
    public @Nullable Object wovenOnce(WovenAdvices state) {
        return state.prepared.make();
    }

    @Benchmark
    public @Nullable Object wovenRetried(WovenLoops state) {
        return state.prepared.make();
    }

    @Benchmark
    public @Nullable Object deadLetter(DeadLetters state) {
        return state.prepared.make();
    }

    /** One of ten attempts. */
    @Benchmark
    @OperationsPerInvocation(10)
    public @Nullable Object attempts10(TenAttempts state) {
        return state.prepared.make();
    }

    /** One of a thousand attempts. */
    @Benchmark
    @OperationsPerInvocation(1000)
    public @Nullable Object attempts1000(ThousandAttempts state) {
        return state.prepared.make();
    }

    /** A call of each thread. The threads share the application. */
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public abstract static class PreparedCall {

        Call prepared;

        private ProxyContext context;

        final void prepare(Proxied proxied, Scenario scenario) {
            context = ProxyContext.shared(proxied);
            prepared = context.call(proxied, scenario);
        }

        @TearDown
        public void close() {
            context.close();
        }
    }

    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class Advices extends PreparedCall {

        @Param({"SUCCEED", "REFUSE"})
        public Scenario call;

        @Param({
            "EMPTY",
            "PLAIN",
            "HAND",
            "HANDLE",
            "RETRY_ON",
            "RETRY_ON_METRICS",
            "RETRY_ON_DEFAULTS",
            "SPRING",
            "SPRING_RETRY",
            "RESILIENCE4J"
        })
        public Proxied contender;

        @Setup
        public void prepare() {
            prepare(contender, call);
        }
    }

    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class Succeeding extends PreparedCall {

        @Param({"SUCCEED"})
        public Scenario call;

        @Param({
            "EMPTY",
            "PLAIN",
            "HAND",
            "HANDLE",
            "RETRY_ON",
            "RETRY_ON_METRICS",
            "RETRY_ON_DEFAULTS",
            "SPRING",
            "SPRING_RETRY",
            "RESILIENCE4J"
        })
        public Proxied contender;

        @Setup
        public void prepare() {
            prepare(contender, call);
        }
    }

    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class Loops extends PreparedCall {

        @Param({"FAIL_TWICE", "FAIL_TWICE_DEEP", "EXHAUST", "GATE"})
        public Scenario call;

        @Param({
            "HAND",
            "HANDLE",
            "RETRY_ON",
            "RETRY_ON_METRICS",
            "RETRY_ON_DEFAULTS",
            "SPRING",
            "SPRING_RETRY",
            "RESILIENCE4J"
        })
        public Proxied contender;

        @Setup
        public void prepare() {
            prepare(contender, call);
        }
    }

    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class TransactionalAdvices extends PreparedCall {

        @Param({"SUCCEED"})
        public Scenario call;

        @Param({"EMPTY_TRANSACTIONAL", "HAND_TRANSACTIONAL", "RETRY_ON_TRANSACTIONAL", "SPRING_TRANSACTIONAL"})
        public Proxied contender;

        @Setup
        public void prepare() {
            prepare(contender, call);
        }
    }

    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class TransactionalLoops extends PreparedCall {

        @Param({"FAIL_TWICE"})
        public Scenario call;

        @Param({"HAND_TRANSACTIONAL", "RETRY_ON_TRANSACTIONAL", "SPRING_TRANSACTIONAL"})
        public Proxied contender;

        @Setup
        public void prepare() {
            prepare(contender, call);
        }
    }

    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class WovenAdvices extends PreparedCall {

        @Param({"SUCCEED"})
        public Scenario call;

        @Param({"PLAIN", "RETRY_ON", "RETRY_ON_WOVEN"})
        public Proxied contender;

        @Setup
        public void prepare() {
            prepare(contender, call);
        }
    }

    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class WovenLoops extends PreparedCall {

        @Param({"FAIL_TWICE"})
        public Scenario call;

        @Param({"RETRY_ON", "RETRY_ON_WOVEN"})
        public Proxied contender;

        @Setup
        public void prepare() {
            prepare(contender, call);
        }
    }

    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class DeadLetters extends PreparedCall {

        @Param({"SUCCEED"})
        public Scenario call;

        @Param({"RETRY_ON", "RETRY_ON_DEAD_LETTER"})
        public Proxied contender;

        @Setup
        public void prepare() {
            prepare(contender, call);
        }
    }

    @State(Scope.Thread)
    public static class TenAttempts extends PreparedCall {

        @Setup
        public void prepare() {
            prepare(Proxied.RETRY_ON, Scenario.FAIL_9);
        }
    }

    @State(Scope.Thread)
    public static class ThousandAttempts extends PreparedCall {

        @Setup
        public void prepare() {
            prepare(Proxied.RETRY_ON, Scenario.FAIL_999);
        }
    }
}
