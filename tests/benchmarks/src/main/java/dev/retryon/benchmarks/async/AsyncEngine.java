// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.async;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.retryon.Retry;
import dev.retryon.RetryCallable;
import dev.retryon.RetryPolicy;
import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.Jitter;
import dev.retryon.benchmarks.call.Scenario;
import dev.retryon.benchmarks.call.TransientFault;
import io.github.resilience4j.retry.RetryConfig;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** The peers that wait without a thread, each set up as its documentation does it. */
public enum AsyncEngine {
    /** Futures and a scheduler, by hand. */
    HAND {
        @Override
        AsyncCalls start(Duration delay) {
            return new HandWrittenAsync(delay, Scenario.FEW);
        }
    },

    /** {@link Retry#callAsync(RetryCallable)}, on the timer that RetryOn brings. */
    RETRY_ON {
        @Override
        AsyncCalls start(Duration delay) {
            Retry retry = Retry.of(
                    "call",
                    RetryPolicy.builder()
                            .retryOn(TransientFault.class)
                            .maxAttempts(Scenario.FEW)
                            .backoff(Backoff.fixed())
                            .delay(delay)
                            .jitter(Jitter.none())
                            .build());
            return attempts -> retry.callAsync(attempts::next);
        }
    },

    /** Failsafe, on the scheduler that it brings. */
    FAILSAFE {
        @Override
        AsyncCalls start(Duration delay) {
            FailsafeExecutor<Attempts> executor = Failsafe.with(dev.failsafe.RetryPolicy.<Attempts>builder()
                    .handle(TransientFault.class)
                    .withMaxAttempts(Scenario.FEW)
                    .withDelay(delay)
                    .build());
            return attempts -> executor.getStageAsync(attempts::next);
        }
    },

    /** Resilience4j, with a scheduler of one thread. */
    RESILIENCE4J {
        @Override
        AsyncCalls start(Duration delay) {
            ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
            io.github.resilience4j.retry.Retry retry = io.github.resilience4j.retry.Retry.of(
                    "call",
                    RetryConfig.custom()
                            .retryExceptions(TransientFault.class)
                            .maxAttempts(Scenario.FEW)
                            .waitDuration(delay)
                            .build());
            return new AsyncCalls() {
                @Override
                public CompletionStage<Attempts> call(Attempts attempts) {
                    return retry.executeCompletionStage(scheduler, attempts::next);
                }

                @Override
                public void close() {
                    scheduler.shutdownNow();
                }
            };
        }
    };

    /** Starts retried calls. Closing drops calls that still wait. */
    @FunctionalInterface
    interface AsyncCalls extends AutoCloseable {

        CompletionStage<Attempts> call(Attempts attempts);

        @Override
        default void close() {}
    }

    abstract AsyncCalls start(Duration delay);
}
