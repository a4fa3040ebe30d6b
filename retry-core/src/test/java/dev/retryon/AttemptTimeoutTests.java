// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class AttemptTimeoutTests {

    private static final Duration LIMIT = Duration.ofSeconds(1);

    /** How often an attempt has to be late, and how often in time, where chance decides. */
    private static final int OFTEN = 1_000;

    private final VirtualTime time = new VirtualTime();

    private final RetryEngine engine = RetryEngine.builder().time(time).build();

    private final RetryPolicyBuilder policy =
            RetryPolicy.builder().delay(Duration.ZERO).attemptTimeout(LIMIT);

    private final AtomicInteger attempts = new AtomicInteger();

    @AfterEach
    void nothingIsLeft() {
        assertThat(Thread.interrupted()).isFalse();
        assertThat(time.pending()).isZero();
    }

    private Retry retry() {
        return Retry.builder("catalogue", policy.build()).engine(engine).build();
    }

    /** Blocks until interrupted; virtual time continues meanwhile. */
    private <T> T block(Duration howLong) throws InterruptedException {
        time.advance(howLong);
        Thread.sleep(0, Thread.interrupted() ? raise() : 0);
        return null;
    }

    private static int raise() throws InterruptedException {
        throw new InterruptedException("blocked");
    }

    @Test
    void interruptsAndRetriesThoughNothingIsListed() throws Exception {
        String value = retry().call(() -> attempts.incrementAndGet() == 1 ? block(LIMIT) : "value");

        assertThat(value).isEqualTo("value");
        assertThat(attempts).hasValue(2);
    }

    @Test
    void aTimerThatEndsTheAttemptAndThenThrowsLeavesNoInterrupt() {
        IllegalStateException broken = new IllegalStateException("broken");
        RetryEngine odd = RetryEngine.builder()
                .time(Times.scheduling((task, delay) -> {
                    task.run();
                    throw broken;
                }))
                .build();
        Retry retry = Retry.builder("catalogue", policy.build()).engine(odd).build();

        assertThatThrownBy(() -> retry.call(attempts::incrementAndGet)).isSameAs(broken);
        assertThat(attempts).hasValue(0);
    }

    @Test
    void aTimerThatEndsTheAttemptAndThenThrowsKeepsTheInterruptOfTheCaller() {
        RetryEngine odd = RetryEngine.builder()
                .time(Times.scheduling((task, delay) -> {
                    task.run();
                    throw new IllegalStateException("broken");
                }))
                .build();
        Retry retry = Retry.builder("catalogue", policy.build()).engine(odd).build();
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> retry.call(attempts::incrementAndGet)).isInstanceOf(IllegalStateException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void failsWithItsOwnErrorAndSuppressesWhatWasThrown() {
        policy.maxAttempts(2);

        assertThatThrownBy(() -> retry().call(() -> block(LIMIT)))
                .isInstanceOf(AttemptTimeoutException.class)
                .hasMessage("catalogue: attempt 2 took longer than 1s")
                .satisfies(error ->
                        assertThat(((AttemptTimeoutException) error).limit()).isEqualTo(LIMIT))
                .satisfies(error -> assertThat(error.getSuppressed()[0]).isInstanceOf(InterruptedException.class));
    }

    @Test
    void isFinalIfExcluded() {
        policy.excludes(AttemptTimeoutException.class);

        assertThatThrownBy(() -> retry().call(() -> {
                    attempts.incrementAndGet();
                    return block(LIMIT);
                }))
                .isInstanceOf(AttemptTimeoutException.class);
        assertThat(attempts).hasValue(1);
    }

    @Test
    void leavesAnAttemptInTimeAlone() throws Exception {
        assertThat(retry().<String, IOException>call(() -> {
                    time.advance(LIMIT.minusNanos(1));
                    return "value";
                }))
                .isEqualTo("value");
        time.advance(LIMIT);
    }

    @Test
    void aValueThatComesTooLateIsNone() {
        policy.maxAttempts(1);

        assertThatThrownBy(() -> retry().call(() -> {
                    time.advance(LIMIT);
                    return "late";
                }))
                .isInstanceOf(AttemptTimeoutException.class);
    }

    @Test
    void anErrorGoesFirst() {
        AssertionError error = new AssertionError();

        assertThatThrownBy(() -> retry().call(() -> {
                    time.advance(LIMIT);
                    throw error;
                }))
                .isSameAs(error);
    }

    @Test
    void keepsAnInterruptThatWasThereBefore() {
        assertThatThrownBy(() -> retry().call(() -> {
                    Thread.currentThread().interrupt();
                    time.advance(LIMIT);
                    attempts.incrementAndGet();
                    return "ignores it";
                }))
                .isInstanceOf(AttemptTimeoutException.class);

        assertThat(attempts).hasValue(1);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void takesAnInterruptThatWasThereBeforeForWhatItIs() {
        assertThatThrownBy(() -> retry().call(() -> {
                    Thread.currentThread().interrupt();
                    return block(LIMIT);
                }))
                .isInstanceOf(InterruptedException.class);

        assertThat(Thread.interrupted()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void anAttemptWithinOneThatIsOverEndsWithIt(int callsBefore) throws Exception {
        policy.delay(Duration.ofMillis(10));
        Retry inner = retry();
        Retry outer = Retry.builder(
                        "outer",
                        RetryPolicy.builder()
                                .delay(Duration.ZERO)
                                .attemptTimeout(LIMIT.multipliedBy(2))
                                .build())
                .engine(engine)
                .build();
        List<Integer> inners = new ArrayList<>();

        String value = outer.call(() -> {
            int attempt = attempts.incrementAndGet();
            for (int call = 0; call < callsBefore; call++) {
                inner.call(() -> "in time");
            }
            return attempt == 2
                    ? "value"
                    : inner.call(() -> {
                        inners.add(RetryContext.current().attempt());
                        return block(LIMIT.multipliedBy(2));
                    });
        });

        assertThat(value).isEqualTo("value");
        assertThat(inners).containsExactly(1);
    }

    @Test
    void zeroIsNoneAndNegativeIsRejected() {
        assertThat(policy.attemptTimeout(Duration.ZERO).build().attemptTimeout())
                .isNull();
        assertThatThrownBy(() -> policy.attemptTimeout(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("attemptTimeout is '-1ms'");
    }

    @Test
    void aThreadWhoseInterruptThrowsDoesNotWaitForItForEver() throws Exception {
        policy.maxAttempts(1);
        CompletableFuture<Throwable> outcome = new CompletableFuture<>();
        CountDownLatch interrupted = new CountDownLatch(1);
        Thread caller =
                new Thread(() -> {
                    try {
                        outcome.complete(new AssertionError(retry().call(() -> {
                            interrupted.await();
                            return "late";
                        })));
                    } catch (Exception ex) {
                        outcome.complete(ex);
                    }
                }) {
                    @Override
                    public void interrupt() {
                        interrupted.countDown();
                        throw new SecurityException("interrupt");
                    }
                };
        caller.start();
        while (time.pending() == 0) {
            Thread.onSpinWait();
        }

        assertThatThrownBy(() -> time.advance(LIMIT)).isInstanceOf(SecurityException.class);

        assertThat(outcome.get()).isInstanceOf(AttemptTimeoutException.class);
    }

    /** The timer might still be interrupting when the attempt ends by itself: what follows must not meet the interrupt. */
    @Test
    void anAttemptThatEndsWhileItIsInterruptedWaitsForTheInterrupt() throws Exception {
        policy.maxAttempts(1);
        CountDownLatch interrupting = new CountDownLatch(1);
        AtomicBoolean over = new AtomicBoolean();
        CountDownLatch interrupted = new CountDownLatch(1);
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        Thread caller =
                new Thread(() -> {
                    retry().capture(() -> {
                        interrupting.await();
                        return "late";
                    });
                    over.set(true);
                    while (interrupted.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                    flag.complete(Thread.currentThread().isInterrupted());
                }) {
                    @Override
                    public void interrupt() {
                        interrupting.countDown();
                        // A call that does not wait has the time to be over.
                        for (int i = 0; i < 10_000 && !over.get(); i++) {
                            Thread.yield();
                        }
                        super.interrupt();
                        interrupted.countDown();
                    }
                };
        caller.start();
        while (time.pending() == 0) {
            Thread.onSpinWait();
        }

        time.advance(LIMIT);

        assertThat(flag.get()).isFalse();
    }

    @Test
    void aTimerThatFailsToTakeTheLimitBackDoesNotFailTheCall() throws Exception {
        RetryEngine lent = RetryEngine.builder()
                .time(Times.scheduling((task, delay) -> () -> {
                    throw new LinkageError("cancel");
                }))
                .build();

        assertThat(Retry.builder("catalogue", policy.build())
                        .engine(lent)
                        .build()
                        .<String, IOException>call(() -> "value"))
                .isEqualTo("value");
    }

    /** In real time, attempts that end just when their time is over: an interrupt that comes late must stay inside. */
    @Test
    void noInterruptEverLeaks() throws Exception {
        raceInterrupts(Duration.ZERO);
    }

    @Test
    @Tag("endurance")
    void noInterruptEverLeaksInALongRun() throws Exception {
        raceInterrupts(Duration.ofSeconds(20));
    }

    private static void raceInterrupts(Duration atLeast) throws Exception {
        try (RetryEngine real = RetryEngine.builder().build()) {
            Retry retry = Retry.builder(
                            "stress",
                            RetryPolicy.builder()
                                    .attemptTimeout(Duration.ofNanos(150_000))
                                    .delay(Duration.ZERO)
                                    .maxAttempts(3)
                                    .build())
                    .engine(real)
                    .build();
            AtomicInteger leaks = new AtomicInteger();
            AtomicInteger late = new AtomicInteger();
            AtomicInteger inTime = new AtomicInteger();
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            long start = System.nanoTime();
            for (int thread = 0; thread < 4; thread++) {
                callers.add(CompletableFuture.runAsync(
                        () -> {
                            while (leaks.get() == 0
                                    && (late.get() < OFTEN
                                            || inTime.get() < OFTEN
                                            || System.nanoTime() - start < atLeast.toNanos())) {
                                try {
                                    retry.run(() ->
                                            pass(ThreadLocalRandom.current().nextLong(300_000)));
                                    inTime.incrementAndGet();
                                } catch (AttemptTimeoutException ex) {
                                    late.incrementAndGet();
                                }
                                for (int look = 0; look < 50; look++) {
                                    if (Thread.interrupted()) {
                                        leaks.incrementAndGet();
                                    }
                                }
                            }
                        },
                        task -> {
                            Thread caller = new Thread(task);
                            caller.setDaemon(true);
                            caller.start();
                        }));
            }
            CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new)).get();

            assertThat(leaks).hasValue(0);
        }
    }

    /** A thread that gives way is late on a busy machine, one that does not is in time there: both have to happen. */
    private static void pass(long nanos) {
        if (nanos % 2 == 0) {
            LockSupport.parkNanos(nanos);
            return;
        }
        long start = System.nanoTime();
        while (System.nanoTime() - start < nanos) {
            Thread.onSpinWait();
        }
    }
}
