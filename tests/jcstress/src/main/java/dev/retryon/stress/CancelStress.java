// SPDX-License-Identifier: Apache-2.0
package dev.retryon.stress;

import dev.retryon.RetryTime;
import dev.retryon.Retry;
import dev.retryon.RetryEngine;
import dev.retryon.RetryFailed;
import dev.retryon.RetryPolicy;
import dev.retryon.RetryScheduled;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * The caller cancels at the moment when the attempt fails. The call ends once, a retry that was published comes before the
 * end, and no thread waits any more.
 */
@JCStressTest
@Outcome(id = "1, 1, 0, 0", expect = Expect.ACCEPTABLE, desc = "cancelled before the decision was published")
@Outcome(id = "1, 1, 1, 0", expect = Expect.ACCEPTABLE, desc = "cancelled after the retry was published")
@Outcome(expect = Expect.FORBIDDEN, desc = "no end, two ends, an end before a retry, or a wait that is left")
@State
public class CancelStress {

    private final AtomicInteger scheduled = new AtomicInteger();

    private final AtomicInteger failed = new AtomicInteger();

    private final AtomicInteger waits = new AtomicInteger();

    private final CompletableFuture<String> attempt = new CompletableFuture<>();

    private final CompletableFuture<String> call = Retry.builder(
                    "cancel",
                    RetryPolicy.builder()
                            .retryOn(IOException.class)
                            .delay(Duration.ofSeconds(1))
                            .build())
            .engine(RetryEngine.builder()
                    .time(new RetryTime() {
                        @Override
                        public Handle schedule(Runnable task, Duration delay) {
                            waits.incrementAndGet();
                            return waits::decrementAndGet;
                        }
                    })
                    .listener(event -> {
                        if (event instanceof RetryFailed) {
                            failed.incrementAndGet();
                        } else if (event instanceof RetryScheduled) {
                            scheduled.addAndGet(failed.get() == 0 ? 1 : 100);
                        }
                    })
                    .build())
            .build()
            .callAsync(() -> attempt);

    @Actor
    public void caller() {
        call.cancel(true);
    }

    @Actor
    public void stage() {
        attempt.completeExceptionally(new IOException("down"));
    }

    @Arbiter
    public void end(IIII_Result result) {
        result.r1 = call.isCancelled() ? 1 : 0;
        result.r2 = failed.get();
        result.r3 = scheduled.get();
        result.r4 = Math.max(0, waits.get());
    }
}
