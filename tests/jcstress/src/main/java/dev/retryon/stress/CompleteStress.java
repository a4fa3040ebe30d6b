// SPDX-License-Identifier: Apache-2.0
package dev.retryon.stress;

import dev.retryon.Retry;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * The caller cancels at the moment when the attempt succeeds. The call counts once, either as cancelled or as successful.
 */
@JCStressTest
@Outcome(id = "0, 1, 0", expect = Expect.ACCEPTABLE, desc = "succeeded")
@Outcome(id = "1, 0, 1", expect = Expect.ACCEPTABLE, desc = "cancelled")
@Outcome(
        id = "1, 1, 0",
        expect = Expect.ACCEPTABLE_INTERESTING,
        desc = "counted as a success, and cancelled before the future was completed")
@Outcome(expect = Expect.FORBIDDEN, desc = "counted twice or never")
@State
public class CompleteStress {

    private final LongAdder successes = new LongAdder();

    private final AtomicInteger failed = new AtomicInteger();

    private final CompletableFuture<String> attempt = new CompletableFuture<>();

    private final CompletableFuture<String> call = Retry.builder(
                    "complete", RetryPolicy.builder().build())
            .engine(RetryEngine.builder()
                    .listener(event -> failed.incrementAndGet())
                    .build())
            .countSuccesses(successes)
            .build()
            .callAsync(() -> attempt);

    @Actor
    public void caller() {
        call.cancel(true);
    }

    @Actor
    public void stage() {
        attempt.complete("value");
    }

    @Arbiter
    public void end(III_Result result) {
        result.r1 = call.isCancelled() ? 1 : 0;
        result.r2 = successes.intValue();
        result.r3 = failed.get();
    }
}
