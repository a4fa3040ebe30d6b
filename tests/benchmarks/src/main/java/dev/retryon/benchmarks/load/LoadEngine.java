// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.load;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.retryon.Retry;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.Jitter;
import dev.retryon.benchmarks.call.TransientFault;
import io.github.resilience4j.retry.RetryConfig;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;

/** Who retries the calls: each set up as its documentation says, with an executor of {@value #EXECUTOR_THREADS} threads. */
public enum LoadEngine {
    /**
     * {@link Retry#callAsync}: an executor for the attempts after the first, which the caller's thread makes; a timer of the
     * engine's own.
     */
    RETRY_ON {
        @Override
        LoadCalls start(Duration delay, ThreadFactory threads) {
            ExecutorService executor = Executors.newFixedThreadPool(EXECUTOR_THREADS, threads);
            RetryEngine engine = RetryEngine.builder().executor(executor).build();
            Retry retry = Retry.builder(
                            "load",
                            RetryPolicy.builder()
                                    .retryOn(TransientFault.class)
                                    .maxAttempts(LoadCall.ATTEMPTS)
                                    .backoff(Backoff.fixed())
                                    .delay(delay)
                                    .jitter(Jitter.none())
                                    .build())
                    .engine(engine)
                    .build();
            return new LoadCalls() {
                @Override
                public CompletionStage<LoadCall> begin(LoadCall call) {
                    return retry.callAsync(call::next);
                }

                @Override
                public void close() {
                    engine.close();
                    executor.shutdownNow();
                }
            };
        }
    },

    /**
     * {@code Retry.executeCompletionStage}: a scheduler for the waits and for the attempts after the first, which the
     * caller's thread makes.
     */
    RESILIENCE4J {
        @Override
        LoadCalls start(Duration delay, ThreadFactory threads) {
            ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(EXECUTOR_THREADS, threads);
            io.github.resilience4j.retry.Retry retry = io.github.resilience4j.retry.Retry.of(
                    "load",
                    RetryConfig.custom()
                            .retryExceptions(TransientFault.class)
                            .maxAttempts(LoadCall.ATTEMPTS)
                            .waitDuration(delay)
                            .build());
            return new LoadCalls() {
                @Override
                public CompletionStage<LoadCall> begin(LoadCall call) {
                    return retry.executeCompletionStage(scheduler, call::next);
                }

                @Override
                public void close() {
                    scheduler.shutdownNow();
                }
            };
        }
    },

    /**
     * {@code getStageAsync}: a scheduler for the waits and for all attempts. It also takes an executor that is none, and
     * brings a scheduler for that, but then keeps more for each call.
     */
    FAILSAFE {
        @Override
        LoadCalls start(Duration delay, ThreadFactory threads) {
            ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(EXECUTOR_THREADS, threads);
            FailsafeExecutor<LoadCall> failsafe = Failsafe.with(dev.failsafe.RetryPolicy.<LoadCall>builder()
                            .handle(TransientFault.class)
                            .withMaxAttempts(LoadCall.ATTEMPTS)
                            .withDelay(delay)
                            .build())
                    .with(scheduler);
            return new LoadCalls() {
                @Override
                public CompletionStage<LoadCall> begin(LoadCall call) {
                    return failsafe.getStageAsync(call::next);
                }

                @Override
                public void close() {
                    scheduler.shutdownNow();
                }
            };
        }
    };

    /** The threads of each executor. */
    public static final int EXECUTOR_THREADS = 2;

    /** Starts retried calls. Closing ends the executor, but not calls that still wait. */
    interface LoadCalls extends AutoCloseable {

        CompletionStage<LoadCall> begin(LoadCall call);

        @Override
        void close();
    }

    abstract LoadCalls start(Duration delay, ThreadFactory threads);
}
