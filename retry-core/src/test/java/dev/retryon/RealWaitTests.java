// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waits on a real thread in real time, ten minutes long, and what ends them long before. */
@Timeout(120)
class RealWaitTests {

    private static final IOException DOWN = new IOException("down");

    private final CountDownLatch announced = new CountDownLatch(1);

    private final RetryEngine engine =
            RetryEngine.builder().listener(event -> announced.countDown()).build();

    private final Retry retry = Retry.builder(
                    "patient", Trial.policy().delay(Duration.ofMinutes(10)).build())
            .engine(engine)
            .build();

    private final AtomicInteger attempts = new AtomicInteger();

    private final CompletableFuture<RetryResult<Object>> result = new CompletableFuture<>();

    private final CompletableFuture<Boolean> interruptFlag = new CompletableFuture<>();

    private final Thread thread = new Thread(() -> {
        result.complete(retry.capture(() -> {
            attempts.incrementAndGet();
            throw DOWN;
        }));
        interruptFlag.complete(Thread.currentThread().isInterrupted());
    });

    @AfterEach
    void endTheWait() throws InterruptedException {
        engine.close();
        thread.interrupt(); // whatever did not end it: the next test has to come
        thread.join();
    }

    private void startAndAwaitTheWait() throws InterruptedException {
        thread.start();
        announced.await();
        while (thread.getState() != Thread.State.TIMED_WAITING && thread.isAlive()) {
            Thread.onSpinWait();
        }
        assertThat(retry.waiting()).isEqualTo(1);
    }

    @Test
    void closingTheEngineEndsAWait() throws Exception {
        startAndAwaitTheWait();

        engine.close();

        RetryResult<Object> ended = result.get();
        assertThat(ended.error()).isSameAs(DOWN);
        assertThat(ended.stopReason()).isEqualTo(StopReason.SHUTDOWN);
        assertThat(attempts).hasValue(1);
        assertThat(interruptFlag.get()).isFalse();
        assertThat(retry.waiting()).isZero();
    }

    @Test
    void anInterruptEndsAWaitAndLeavesTheFlag() throws Exception {
        startAndAwaitTheWait();

        thread.interrupt();

        RetryResult<Object> ended = result.get();
        assertThat(ended.error()).isSameAs(DOWN);
        assertThat(ended.stopReason()).isEqualTo(StopReason.INTERRUPTED);
        assertThat(attempts).hasValue(1);
        assertThat(interruptFlag.get()).isTrue();
        assertThat(retry.waiting()).isZero();
    }

    @Test
    void aShortWaitIsReallyWaited() throws Exception {
        Duration delay = Duration.ofMillis(20);
        Retry hasty = Retry.builder(
                        "hasty", Trial.policy().delay(delay).maxAttempts(2).build())
                .engine(engine)
                .build();

        RetryResult<Object> ended = hasty.capture(() -> {
            throw DOWN;
        });

        assertThat(ended.attempts()).isEqualTo(2);
        assertThat(ended.elapsed()).isGreaterThanOrEqualTo(delay);
    }
}
