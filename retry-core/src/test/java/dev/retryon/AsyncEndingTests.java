// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Cancelling, time limits and shutdown. */
class AsyncEndingTests extends AsyncRetryFixture {

    @Test
    void cancellingEndsTheWait() {
        Retry retry = retry();
        CompletableFuture<String> called = retry.callAsync(() -> failing(1));
        assertThat(time.pending()).isOne();

        assertThat(called.cancel(true)).isTrue();

        assertThat(time.pending()).isZero();
        assertThat(retry.waiting()).isZero();
        assertThat(called).isCancelled();
        assertThat(reason()).isEqualTo(StopReason.CANCELLED);
        assertThat(events).hasSize(2);
    }

    @Test
    void theTimerOfAnEngineForgetsACallThatWasCancelled() throws Exception {
        try (RetryEngine own = RetryEngine.builder().build()) {
            Retry retry = Retry.builder(
                            "own", Trial.policy().delay(Duration.ofMinutes(10)).build())
                    .engine(own)
                    .build();
            CompletableFuture<String> called =
                    retry.callAsync(() -> CompletableFuture.failedFuture(new IOException("down")));
            assertThat(Reachable.from(own)).hasAtLeastOneElementOfType(AsyncWait.class);

            called.cancel(true);

            assertThat(Reachable.from(own)).doesNotHaveAnyElementsOfTypes(AsyncWait.class);
        }
    }

    @Test
    void cancellingDuringADecisionSchedulesNoRetry() {
        CompletableFuture<String> first = new CompletableFuture<>();
        AtomicReference<CompletableFuture<String>> called = new AtomicReference<>();
        policy.onlyIf((error, context) -> called.get().cancel(true));
        called.set(retry().callAsync(() -> first));

        first.completeExceptionally(new IOException("attempt 1"));

        assertThat(called.get()).isCancelled();
        assertThat(events).hasExactlyElementsOfTypes(RetryFailed.class);
        assertThat(reason()).isEqualTo(StopReason.CANCELLED);
        assertThat(time.pending()).isZero();
    }

    @Test
    void cancellingWhileARetryIsPublishedEndsTheCallAfterwards() {
        CompletableFuture<String> first = new CompletableFuture<>();
        AtomicReference<CompletableFuture<String>> called = new AtomicReference<>();
        engine.listener(event -> called.get().cancel(true));
        Retry retry = retry();
        called.set(retry.callAsync(() -> first));

        first.completeExceptionally(new IOException("attempt 1"));

        assertThat(events).hasExactlyElementsOfTypes(RetryScheduled.class, RetryFailed.class);
        assertThat(reason()).isEqualTo(StopReason.CANCELLED);
        assertThat(time.pending()).isZero();
        assertThat(retry.waiting()).isZero();
    }

    @Test
    void cancellingWhileAnAttemptBlocksEndsTheCallAtOnceAndItsStageLater() {
        CompletableFuture<String> second = new CompletableFuture<>();
        AtomicReference<CompletableFuture<String>> called = new AtomicReference<>();
        called.set(retry().callAsync(() -> {
            if (attempts.incrementAndGet() == 1) {
                return failed(new IOException("attempt 1"));
            }
            called.get().cancel(true);
            assertThat(events).hasSize(2);
            return second;
        }));
        time.advance(SECOND);

        assertThat(second).isCancelled();
        assertThat(events).hasExactlyElementsOfTypes(RetryScheduled.class, RetryFailed.class);
    }

    @Test
    void theFutureIsNothingButAFuture() {
        CompletableFuture<String> called = retry().callAsync(CompletableFuture::new);

        assertThat(called).isNotInstanceOfAny(Runnable.class, BiFunction.class);
    }

    @Test
    void aFutureThatHasCompletedKeepsNothingOfItsCall() throws Exception {
        policy.maxAttempts(2);
        CompletableFuture<String> succeeded = retry().callAsync(() -> failing(1));
        CompletableFuture<String> cancelled = retry().callAsync(CompletableFuture::new);
        time.advance(SECOND);
        cancelled.cancel(true);

        assertThat(succeeded).isDone();
        assertThat(Reachable.from(succeeded)).noneMatch(AsyncRetry.class::isInstance);
        assertThat(Reachable.from(cancelled)).noneMatch(AsyncRetry.class::isInstance);
    }

    @Test
    void cancellingCancelsTheAttemptInFlight() {
        CompletableFuture<String> second = new CompletableFuture<>();
        CompletableFuture<String> called =
                retry().callAsync(() -> attempts.incrementAndGet() == 1 ? failed(new IOException()) : second);
        time.advance(SECOND);
        assertThat(second).isNotDone();

        called.cancel(false);

        assertThat(second).isCancelled();
        time.advance(SECOND.multipliedBy(9));
        assertThat(attempts).hasValue(2);
        assertThat(events).hasExactlyElementsOfTypes(RetryScheduled.class, RetryFailed.class);
    }

    @Test
    void cancellingCancelsTheFirstAttempt() {
        CompletableFuture<String> first = new CompletableFuture<>();

        retry().callAsync(() -> first).cancel(true);

        assertThat(first).isCancelled();
    }

    @Test
    void completingTheFutureInAnotherWayEndsTheCallToo() {
        CompletableFuture<String> called = retry().callAsync(() -> failing(1));

        called.completeExceptionally(new TimeoutException()); // as orTimeout does

        assertThat(time.pending()).isZero();
        assertThat(errorOf(called)).isInstanceOf(TimeoutException.class);
    }

    @Test
    void cancellingACallThatHasEndedTellsNothing() {
        CompletableFuture<String> called = retry().callAsync(() -> failing(1));
        time.advance(SECOND);
        int told = events.size();

        assertThat(called.cancel(true)).isFalse();

        assertThat(called).isCompletedWithValue("value");
        assertThat(events).hasSize(told);
    }

    @Test
    void startsNoWaitThatWouldOverrunTheTimeout() {
        policy.timeout(Duration.ofMillis(1500)).maxAttempts(9);
        CompletableFuture<String> called = retry().callAsync(() -> failing(9));
        time.advance(SECOND);

        assertThat(errorOf(called)).hasMessage("attempt 2"); // 1 s waited, 0.5 s left
        assertThat(reason()).isEqualTo(StopReason.TIMEOUT);
    }

    @Test
    void closingEndsTheWaitsAtOnce() {
        RetryEngine closing = engine.build();
        Retry retry = Retry.builder("catalogue", policy.build()).engine(closing).build();
        CompletableFuture<String> called = retry.callAsync(() -> failing(1));

        closing.close();

        assertThat(errorOf(called)).hasMessage("attempt 1");
        assertThat(reason()).isEqualTo(StopReason.SHUTDOWN);
        assertThat(events.get(1).attempt()).isOne();
        assertThat(time.pending()).isZero();
        assertThat(retry.waiting()).isZero();
        assertThat(errorOf(retry.callAsync(() -> failing(9)))).hasMessage("attempt 2");
        assertThat(attempts).hasValue(2);
    }

    @Test
    void closingEndsCallsThatAreQueuedInTheExecutor() {
        ArrayDeque<Runnable> queued = new ArrayDeque<>();
        RetryEngine closing = engine.executor(queued::add).build();
        CompletableFuture<String> called = Retry.builder("catalogue", policy.build())
                .engine(closing)
                .build()
                .callAsync(() -> failing(1));
        time.advance(SECOND);
        assertThat(called).isNotDone();

        closing.close(); // the executor might have been shut down and have dropped its tasks

        assertThat(errorOf(called)).hasMessage("attempt 1");
        assertThat(reason()).isEqualTo(StopReason.SHUTDOWN);
        queued.forEach(Runnable::run);
        assertThat(attempts).hasValue(1);
        assertThat(queued).hasSize(1).noneMatch(Future.class::isInstance);
    }

    @Test
    void cancellingACallThatIsQueuedInTheExecutorEndsIt() {
        ArrayDeque<Runnable> queued = new ArrayDeque<>();
        engine.executor(queued::add);
        CompletableFuture<String> called = retry().callAsync(() -> failing(1));
        time.advance(SECOND);

        called.cancel(true);
        queued.forEach(Runnable::run);

        assertThat(attempts).hasValue(1);
        assertThat(events).hasSize(2); // scheduled, failed
    }

    @Test
    void closingDoesNotWaitForARecoveryThatHangsOnceItIsInterrupted() throws Exception {
        RetryEngine closing = engine.build();
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch free = new CountDownLatch(1);
        CompletableFuture<String> call = Retry.builder("catalogue", policy.build())
                .engine(closing)
                .uncheckedRecovery((subject, thrown, context) -> {
                    hanging.countDown();
                    free.await();
                    return "recovered";
                })
                .build()
                .callAsync(() -> failing(9));
        AtomicBoolean flag = new AtomicBoolean();
        Thread closer = new Thread(() -> {
            closing.close();
            flag.set(Thread.currentThread().isInterrupted());
        });
        closer.start();
        hanging.await();

        closer.interrupt();
        closer.join();

        assertThat(flag).isTrue();
        assertThat(call).isNotDone();
        free.countDown();
        assertThat(call.get()).isEqualTo("recovered");
    }

    @Test
    @Timeout(60)
    void closingEndsAllWaitsFirstAndRunsRecoveriesTogetherElsewhere() {
        RetryEngine closing = engine.build();
        CyclicBarrier together = new CyclicBarrier(3);
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        List<Long> waiting = new CopyOnWriteArrayList<>();
        AtomicReference<Retry> self = new AtomicReference<>();
        Retry retry = Retry.builder("catalogue", policy.build())
                .engine(closing)
                .uncheckedRecovery((subject, thrown, context) -> {
                    threads.add(Thread.currentThread());
                    waiting.add(self.get().waiting());
                    together.await();
                    return context.stopReason().name();
                })
                .build();
        self.set(retry);
        List<CompletableFuture<String>> calls = Stream.generate(() -> retry.callAsync(() -> failing(9)))
                .limit(3)
                .toList();

        closing.close();

        assertThat(calls).allSatisfy(call -> assertThat(call).isCompletedWithValue("SHUTDOWN"));
        assertThat(threads).hasSize(3).doesNotContain(Thread.currentThread());
        assertThat(waiting).containsOnly(0L);
    }

    @Test
    void anAttemptThatTakesTooLongIsCancelledAndRetried() {
        policy.attemptTimeout(Duration.ofMillis(100));
        CompletableFuture<String> slow = new CompletableFuture<>();
        CompletableFuture<String> called =
                retry().callAsync(() -> attempts.incrementAndGet() == 1 ? slow : done("value"));

        time.advance(Duration.ofMillis(100));
        assertThat(slow).isCancelled();
        assertThat(events.get(0).error())
                .isInstanceOf(AttemptTimeoutException.class)
                .hasMessage("catalogue: attempt 1 took longer than 100ms");
        time.advance(SECOND);

        assertThat(called).isCompletedWithValue("value");
        assertThat(time.pending()).isZero();
    }

    @Test
    void cancellingReachesAnAttemptWithALimit() {
        policy.attemptTimeout(Duration.ofMillis(100));
        CompletableFuture<String> slow = new CompletableFuture<>();

        retry().callAsync(() -> slow).cancel(true);

        assertThat(slow).isCancelled();
        assertThat(time.pending()).isZero();
    }

    @Test
    void aStageThatHasItsOwnCancellationFailsLikeAnyOther() {
        CompletableFuture<String> own = new CompletableFuture<>();
        policy.retryOn(CancellationException.class).maxAttempts(1);
        CompletableFuture<String> called = retry().callAsync(() -> own);

        own.cancel(true);

        assertThat(errorOf(called)).isInstanceOf(CancellationException.class);
        assertThat(reason()).isEqualTo(StopReason.EXHAUSTED);
    }
}
