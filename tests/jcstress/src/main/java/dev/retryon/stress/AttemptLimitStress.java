// SPDX-License-Identifier: Apache-2.0
package dev.retryon.stress;

import dev.retryon.RetryTime;
import dev.retryon.AttemptTimeoutException;
import dev.retryon.Retry;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * An attempt ends at the moment when its time limit expires. The interrupt never reaches code after the attempt.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "in time")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "too late")
@Outcome(expect = Expect.FORBIDDEN, desc = "an interrupt that leaked")
@State
public class AttemptLimitStress {

    private volatile @Nullable Runnable limit;

    private final Retry retry = Retry.builder(
                    "limit",
                    RetryPolicy.builder()
                            .maxAttempts(1)
                            .attemptTimeout(Duration.ofSeconds(1))
                            .build())
            .engine(RetryEngine.builder()
                    .time(new RetryTime() {
                        @Override
                        public Handle schedule(Runnable task, Duration delay) {
                            limit = task;
                            return () -> {};
                        }
                    })
                    .build())
            .build();

    @Actor
    public void caller(II_Result result) {
        try {
            retry.<String, RuntimeException>call(() -> "value");
        } catch (AttemptTimeoutException ex) {
            result.r1 = 1;
        }
        result.r2 = Thread.interrupted() ? 1 : 0;
    }

    @Actor
    public void timer() {
        Runnable task = limit;
        while (task == null) {
            Thread.onSpinWait();
            task = limit;
        }
        task.run();
    }
}
