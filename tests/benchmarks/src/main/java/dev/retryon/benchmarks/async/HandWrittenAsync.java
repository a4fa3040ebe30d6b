// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.async;

import dev.retryon.benchmarks.call.TransientFault;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A hand-written retry: a future that the last attempt completes, and a scheduler for the other attempts. */
final class HandWrittenAsync implements AsyncEngine.AsyncCalls {

    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();

    private final long delay;

    private final int most;

    HandWrittenAsync(Duration delay, int most) {
        this.delay = delay.toNanos();
        this.most = most;
    }

    @Override
    public CompletionStage<Attempts> call(Attempts attempts) {
        CompletableFuture<Attempts> result = new CompletableFuture<>();
        attempt(attempts, 1, result);
        return result;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the result is completed by what is called
    private void attempt(Attempts attempts, int number, CompletableFuture<Attempts> result) {
        attempts.next().whenComplete((value, error) -> ended(attempts, number, result, value, error));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the result is completed by what is scheduled
    private void ended(
            Attempts attempts,
            int number,
            CompletableFuture<Attempts> result,
            @Nullable Attempts value,
            @Nullable Throwable error) {
        if (value != null) {
            result.complete(value);
        } else if (error instanceof TransientFault && number < most) {
            scheduler.schedule(() -> attempt(attempts, number + 1, result), delay, TimeUnit.NANOSECONDS);
        } else if (error != null) {
            result.completeExceptionally(error);
        }
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
    }
}
