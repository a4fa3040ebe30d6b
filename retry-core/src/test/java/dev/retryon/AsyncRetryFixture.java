// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.backoff.Jitter;
import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;

/** Asynchronous calls in virtual time, on the thread of the test. */
abstract class AsyncRetryFixture {

    static final Duration SECOND = Duration.ofSeconds(1);

    final VirtualTime time = new VirtualTime();

    final List<RetryEvent> events = new ArrayList<>();

    final RetryEngineBuilder engine =
            RetryEngine.builder().time(time).executor(Runnable::run).listener(events::add);

    final RetryPolicyBuilder policy = RetryPolicy.builder()
            .retryOn(IOException.class, IllegalStateException.class)
            .delay(SECOND)
            .backoff("fixed")
            .jitter(Jitter.none());

    final AtomicInteger attempts = new AtomicInteger();

    @AfterEach
    void noInterruptIsLeft() {
        assertThat(Thread.interrupted()).isFalse();
    }

    Retry retry() {
        return Retry.builder("catalogue", policy.build()).engine(engine.build()).build();
    }

    static <T> CompletableFuture<T> failed(Throwable error) {
        return CompletableFuture.failedFuture(error);
    }

    /** Fails so many times, then succeeds. */
    CompletionStage<String> failing(int times) {
        int attempt = attempts.incrementAndGet();
        return attempt <= times ? failed(new IOException("attempt " + attempt)) : done("value");
    }

    static <T> CompletableFuture<T> done(T value) {
        return CompletableFuture.completedFuture(value);
    }

    static Throwable errorOf(CompletableFuture<?> future) {
        assertThat(future).isDone();
        List<Throwable> seen = new ArrayList<>();
        future.whenComplete((value, error) -> seen.add(error));
        return seen.get(0);
    }

    StopReason reason() {
        return ((RetryFailed) events.get(events.size() - 1)).reason();
    }
}
