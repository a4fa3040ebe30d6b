// SPDX-License-Identifier: Apache-2.0
package dev.retryon.stress;

import dev.retryon.Retry;
import dev.retryon.RetryContext;
import dev.retryon.RetryPolicy;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two threads are in calls of the same retry, one in its first and one in its second attempt. Each thread sees its own call.
 */
@JCStressTest
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "each thread has its own context")
@Outcome(expect = Expect.FORBIDDEN, desc = "a context that leaked from a thread or a call")
@State
public class FrameStress {

    private static final Retry RETRY = Retry.of(
            "frame",
            RetryPolicy.builder()
                    .retryOn(IllegalStateException.class)
                    .backoff("none")
                    .build());

    @Actor
    public void first(II_Result result) {
        result.r1 = RETRY.<Integer, RuntimeException>call(
                () -> RetryContext.current().attempt());
        if (RetryContext.find().isPresent()) {
            result.r1 = -1;
        }
    }

    @Actor
    public void second(II_Result result) {
        int[] attempts = {0};
        result.r2 = RETRY.<Integer, RuntimeException>call(() -> {
            if (++attempts[0] == 1) {
                throw new IllegalStateException("attempt 1");
            }
            return RetryContext.current().attempt();
        });
        if (RetryContext.find().isPresent()) {
            result.r2 = -1;
        }
    }
}
