// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.async;

import dev.retryon.benchmarks.measure.RepeatedCall;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Ten thousand asynchronous calls, begun one after the other by one thread. Each fails at once and waits for
 * {@value #DELAY_MILLIS} ms, which is longer than it takes to begin them all: then they all wait. They end when their
 * second attempt succeeds.
 */
public class AsyncBenchmark extends RepeatedCall {

    /** The calls of one operation. */
    public static final int CALLS = 10_000;

    /** How long each waits. */
    public static final int DELAY_MILLIS = 100;

    /**
     * Makes the calls and waits for them.
     *
     * @param engine who retries
     * @return the last of them
     */
    @Benchmark
    @SuppressWarnings("FutureReturnValueIgnored") // JMH consumes it
    public Object calls(StartedEngine engine) {
        CompletableFuture<?>[] futures = engine.futures;
        AsyncEngine.AsyncCalls calls = Objects.requireNonNull(engine.calls);
        for (int i = 0; i < CALLS; i++) {
            futures[i] = calls.call(new Attempts()).toCompletableFuture();
        }
        for (CompletableFuture<?> future : futures) {
            future.join();
        }
        return futures[CALLS - 1];
    }

    /** An engine and the futures of its calls. */
    @State(Scope.Benchmark)
    public static class StartedEngine {

        /** The engine. */
        @Param
        public AsyncEngine contender = AsyncEngine.HAND;

        final CompletableFuture<?>[] futures = new CompletableFuture<?>[CALLS];

        AsyncEngine.@Nullable AsyncCalls calls;

        /** Starts the engine and checks it. */
        @Setup
        public void start() {
            calls = contender.start(Duration.ofMillis(DELAY_MILLIS));
            Attempts attempts = new Attempts();
            Object outcome = calls.call(attempts).toCompletableFuture().join();
            if (outcome != attempts || attempts.made() != 2) {
                throw new IllegalStateException(contender + ": wanted 2 attempts, saw " + attempts.made());
            }
        }

        /** Ends it. */
        @TearDown
        public void close() {
            Objects.requireNonNull(calls).close();
        }
    }
}
