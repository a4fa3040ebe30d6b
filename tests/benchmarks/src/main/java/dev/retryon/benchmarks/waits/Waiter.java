// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.waits;

import dev.retryon.Retry;
import dev.retryon.RetryPolicy;
import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.Jitter;
import dev.retryon.benchmarks.call.TransientFault;
import java.time.Duration;
import java.util.concurrent.Callable;

/** What waits between the attempts of a blocking call. */
public enum Waiter {
    /** A loop with {@link Thread#sleep(long)}. */
    SLEEP {
        @Override
        Calls start(int attempts, Duration delay) {
            return call -> {
                for (int attempt = 1; ; attempt++) {
                    try {
                        return call.call();
                    } catch (TransientFault ex) {
                        if (attempt == attempts) {
                            throw ex;
                        }
                        Thread.sleep(delay.toMillis());
                    }
                }
            };
        }
    },

    /** {@link Retry}, with the waits that its engine brings. */
    RETRY_ON {
        @Override
        Calls start(int attempts, Duration delay) {
            Retry retry = Retry.of(
                    "call",
                    RetryPolicy.builder()
                            .retryOn(TransientFault.class)
                            .maxAttempts(attempts)
                            .backoff(Backoff.fixed())
                            .delay(delay)
                            .jitter(Jitter.none())
                            .build());
            return call -> retry.call(call::call);
        }
    };

    @FunctionalInterface
    interface Calls {

        Object call(Callable<Object> call) throws Exception;
    }

    abstract Calls start(int attempts, Duration delay);
}
