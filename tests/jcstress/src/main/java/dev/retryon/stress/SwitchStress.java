// SPDX-License-Identifier: Apache-2.0
package dev.retryon.stress;

import dev.retryon.RetryTime;
import dev.retryon.Retry;
import dev.retryon.RetryEngine;
import dev.retryon.RetryFailed;
import dev.retryon.RetryPolicy;
import dev.retryon.RetrySwitch;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Retries are switched off while a call begins to wait. The call does not continue to wait. */
@JCStressTest
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "ended once, and nothing waits")
@Outcome(expect = Expect.FORBIDDEN, desc = "a call waits although its retries are switched off, or ends twice")
@State
public class SwitchStress {

    private final RetrySwitch retrySwitch = new RetrySwitch();

    private final AtomicInteger failed = new AtomicInteger();

    private final CompletableFuture<String> attempt = new CompletableFuture<>();

    private final Retry retry = Retry.builder(
                    "switch",
                    RetryPolicy.builder()
                            .retryOn(IOException.class)
                            .delay(Duration.ofHours(1))
                            .build())
            .engine(RetryEngine.builder()
                    .time(new RetryTime() {
                        @Override
                        public Handle schedule(Runnable task, Duration delay) {
                            return () -> {};
                        }
                    })
                    .listener(event -> {
                        if (event instanceof RetryFailed) {
                            failed.incrementAndGet();
                        }
                    })
                    .build())
            .retrySwitch(retrySwitch)
            .build();

    private final CompletableFuture<String> call = retry.callAsync(() -> attempt);

    @Actor
    public void operator() {
        retrySwitch.turnOff();
    }

    @Actor
    public void stage() {
        attempt.completeExceptionally(new IOException("down"));
    }

    @Arbiter
    public void end(III_Result result) {
        try {
            call.get(10, TimeUnit.SECONDS);
        } catch (ExecutionException ex) {
            result.r1 = 1;
        } catch (InterruptedException | TimeoutException ex) {
            result.r1 = -1;
        }
        result.r2 = failed.get();
        result.r3 = (int) retry.waiting();
    }
}
