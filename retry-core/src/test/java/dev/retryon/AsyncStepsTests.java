// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Asynchronous calls that somebody ends while one of their own steps is being made. */
class AsyncStepsTests extends AsyncRetryFixture {

    private final AtomicReference<CompletableFuture<String>> called = new AtomicReference<>();

    private final AtomicReference<RetryEngine> built = new AtomicReference<>();

    private final CompletableFuture<String> first = new CompletableFuture<>();

    /** Begins a call whose first attempt stays away until {@link #first} completes. */
    private void begin(RetryBuilder retry) {
        called.set(retry.build().callAsync(() -> attempts.incrementAndGet() == 1 ? first : done("value")));
    }

    private RetryBuilder builder() {
        built.set(engine.build());
        return Retry.builder("catalogue", policy.build()).engine(built.get());
    }

    private void fail() {
        first.completeExceptionally(new IOException("attempt 1"));
    }

    private void onRetry(Runnable action) {
        engine.listener(event -> {
            if (event instanceof RetryScheduled) {
                action.run();
            }
        });
    }

    @Test
    void anEngineThatIsClosedBeforeAnAttemptMakesNone() {
        AtomicInteger restored = new AtomicInteger();
        engine.contextCapture(() -> () -> {
            if (restored.incrementAndGet() == 2) { // 1 is the decision, 2 the next attempt
                built.get().close();
            }
            return () -> {};
        });
        begin(builder());
        fail();
        time.advance(SECOND);

        assertThat(errorOf(called.get())).hasMessage("attempt 1");
        assertThat(reason()).isEqualTo(StopReason.SHUTDOWN);
        assertThat(attempts).hasValue(1);
    }

    @Test
    void anEngineThatIsClosedWhileARetryIsPublishedEndsItsWait() {
        onRetry(() -> built.get().close());
        begin(builder());
        fail();

        assertThat(errorOf(called.get())).hasMessage("attempt 1");
        assertThat(reason()).isEqualTo(StopReason.SHUTDOWN);
        assertThat(time.pending()).isZero();
    }

    @Test
    void anEngineThatIsClosedWhileARetryAtOnceIsPublishedMakesNone() {
        Deque<Runnable> queued = new ArrayDeque<>();
        policy.delay(Duration.ZERO);
        engine.executor(queued::add);
        onRetry(() -> built.get().close());
        begin(builder());
        fail();

        assertThat(errorOf(called.get())).hasMessage("attempt 1");
        assertThat(reason()).isEqualTo(StopReason.SHUTDOWN);
        queued.forEach(Runnable::run);
        assertThat(attempts).hasValue(1);
    }

    @Test
    void anExecutorThatRefusesBecauseOfTheShutdownEndsTheCallWithIt() {
        policy.delay(Duration.ZERO);
        engine.executor(task -> {
            throw new RejectedExecutionException("shut down");
        });
        onRetry(() -> built.get().close());
        begin(builder());
        fail();

        assertThat(errorOf(called.get())).hasMessage("attempt 1");
        assertThat(errorOf(called.get()).getSuppressed()).hasOnlyElementsOfType(RetryHistory.class);
        assertThat(reason()).isEqualTo(StopReason.SHUTDOWN);
    }

    @Test
    void retriesThatAreTurnedOffWhileOneIsPublishedAreNotMade() {
        RetrySwitch retrySwitch = new RetrySwitch();
        onRetry(retrySwitch::turnOff);
        begin(builder().retrySwitch(retrySwitch));
        fail();

        assertThat(errorOf(called.get())).hasMessage("attempt 1");
        assertThat(reason()).isEqualTo(StopReason.SWITCHED_OFF);
        assertThat(time.pending()).isZero();
    }

    @Test
    void aTimerThatIsStillSchedulingWhenTheCallerGivesUpIsTakenBackAfterwards() {
        AtomicInteger takenBack = new AtomicInteger();
        engine.time(Times.scheduling((task, delay) -> {
            called.get().cancel(true);
            return takenBack::incrementAndGet;
        }));
        Retry retry = builder().build();
        called.set(retry.callAsync(() -> first));
        fail();

        assertThat(called.get()).isCancelled();
        assertThat(takenBack).hasValue(1);
        assertThat(retry.waiting()).isZero();
    }

    @Test
    void aTimerThatRunsATaskItWasAskedToTakeBackChangesNothing() {
        List<Runnable> tasks = new ArrayList<>();
        engine.time(Times.scheduling((task, delay) -> {
            tasks.add(task);
            return () -> {};
        }));
        Retry retry = builder().build();
        called.set(retry.callAsync(() -> failing(9)));
        called.get().cancel(true);

        tasks.forEach(Runnable::run);

        assertThat(attempts).hasValue(1);
        assertThat(retry.waiting()).isZero();
        assertThat(events).hasExactlyElementsOfTypes(RetryScheduled.class, RetryFailed.class);
    }

    @Test
    void givingUpWhileAValueIsAcceptedIsHowTheCallEnds() {
        policy.retryIf((value, context) -> !called.get().cancel(true));
        begin(builder());
        first.complete("value");

        assertThat(called.get()).isCancelled();
        assertThat(events).hasExactlyElementsOfTypes(RetryFailed.class);
        assertThat(reason()).isEqualTo(StopReason.CANCELLED);
    }

    @Test
    void givingUpWhileAGateRejectsIsHowTheCallEnds() {
        policy.onlyIf((error, context) -> !called.get().cancel(true));
        begin(builder());
        fail();

        assertThat(called.get()).isCancelled();
        assertThat(events).hasExactlyElementsOfTypes(RetryFailed.class);
        assertThat(reason()).isEqualTo(StopReason.CANCELLED);
    }

    @Test
    void givingUpDuringARecoveryCancelsTheStageThatItReturns() {
        CompletableFuture<String> recovery = new CompletableFuture<>();
        policy.maxAttempts(1);
        begin(builder().uncheckedRecovery((subject, thrown, context) -> {
            called.get().cancel(true);
            return recovery;
        }));
        fail();

        assertThat(recovery).isCancelled();
        assertThat(reason()).isEqualTo(StopReason.CANCELLED);
    }

    @Test
    void aRecoveryWhoseStageRefusesToBeFollowedEndsTheCall() {
        IllegalArgumentException fault = new IllegalArgumentException("not followed");
        CompletableFuture<String> odd = new CompletableFuture<>() {
            @Override
            public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
                throw fault;
            }
        };
        policy.maxAttempts(1);
        begin(builder().uncheckedRecovery((subject, thrown, context) -> odd));
        fail();

        assertThat(errorOf(called.get())).isSameAs(fault);
        assertThat(fault.getSuppressed()).hasOnlyElementsOfType(IOException.class);
        assertThat(((RetryFailed) events.get(0)).recovered()).isFalse();
    }

    @Test
    void aRecoveryTakesWhatTheCallIsAbout() {
        policy.maxAttempts(1);
        Retry retry = builder()
                .uncheckedRecovery((subject, thrown, context) -> done("recovered for " + subject))
                .build();

        assertThat(retry.<String, String>callAsync("order 17", (order, attempt) -> failing(1)))
                .isCompletedWithValue("recovered for order 17");
    }

    @Test
    void aValueThatIsAStageItselfIsLeftAlone() {
        CompletableFuture<String> inner = done("inner");
        policy.maxAttempts(1).retryIf((value, context) -> true);
        Retry retry = builder().build();

        assertThat(retry.<CompletableFuture<String>>callAsync(() -> done(inner)).join())
                .isSameAs(inner);
    }

    @Test
    void aValueThatIsAcceptedAtOnceIsASuccessOfTheFirstAttempt() {
        LongAdder successes = new LongAdder();
        policy.retryIf((value, context) -> false);
        begin(builder().countSuccesses(successes));
        first.complete("value");

        assertThat(called.get()).isCompletedWithValue("value");
        assertThat(successes.sum()).isOne();
        assertThat(events).isEmpty();
    }

    @Test
    void anEndThatCannotBePublishedIsLogged() {
        policy.maxAttempts(1);
        Retry watched = builder().build().watched(result -> {
            throw new IllegalStateException("not watched");
        });
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            called.set(watched.callAsync(() -> first));
            fail();

            assertThat(errorOf(called.get())).hasMessage("attempt 1");
            assertThat(warnings.messages()).containsExactly("catalogue: the outcome of a call could not be published");
        }
    }

    @Test
    void aCallThatEndedLeavesNoCallOnTheThread() throws Exception {
        Retry retry = builder().build();
        retry.call(() -> "leaves a mark on the thread");
        begin(builder());
        fail();
        time.advance(SECOND);

        assertThat(called.get()).isCompletedWithValue("value");
        assertThat(RetryContext.find()).isEmpty();
    }

    @Test
    void theEngineForgetsStepsThatWereQueued() throws Exception {
        AtomicReference<Runnable> queued = new AtomicReference<>();
        policy.delay(Duration.ZERO);
        engine.executor(queued::set);
        begin(builder());
        fail();
        called.get().cancel(true);
        assertThat(Reachable.from(built.get())).noneMatch(AsyncWait.class::isInstance);

        CompletableFuture<String> other = Retry.builder("other", policy.build())
                .engine(built.get())
                .build()
                .callAsync(() -> failing(2));
        queued.get().run();
        assertThat(other).isCompletedWithValue("value");
        assertThat(Reachable.from(built.get())).noneMatch(AsyncWait.class::isInstance);
    }

    @Test
    void theEngineForgetsAWaitThatIsCancelledWhileItBegins() throws Exception {
        LongAdder waiting = new LongAdder() {
            @Override
            public void add(long change) {
                super.add(change);
                if (change > 0) {
                    called.get().cancel(true);
                }
            }
        };
        begin(builder().countWaiting(waiting));
        fail();

        assertThat(called.get()).isCancelled();
        assertThat(reason()).isEqualTo(StopReason.CANCELLED);
        assertThat(waiting.sum()).isZero();
        assertThat(Reachable.from(built.get())).noneMatch(AsyncWait.class::isInstance);
    }

    @Test
    void aCallWhoseAttemptIsQueuedStillWaits() {
        Deque<Runnable> queued = new ArrayDeque<>();
        engine.executor(queued::add);
        Retry retry = builder().build();
        called.set(retry.callAsync(() -> failing(1)));
        time.advance(SECOND);
        assertThat(queued).hasSize(1);
        assertThat(retry.waiting()).isOne();

        queued.forEach(Runnable::run);

        assertThat(called.get()).isCompletedWithValue("value");
        assertThat(retry.waiting()).isZero();
    }

    @Test
    void aSwitchEndsACallWhoseAttemptIsQueued() {
        Deque<Runnable> queued = new ArrayDeque<>();
        RetrySwitch retrySwitch = new RetrySwitch();
        engine.executor(queued::add);
        called.set(builder().retrySwitch(retrySwitch).build().callAsync(() -> failing(1)));
        time.advance(SECOND);

        retrySwitch.turnOff();

        assertThatThrownBy(() -> called.get().get(30, TimeUnit.SECONDS)).hasRootCauseMessage("attempt 1");
        assertThat(reason()).isEqualTo(StopReason.SWITCHED_OFF);
        queued.forEach(Runnable::run);
        assertThat(attempts).hasValue(1);
    }

    @Test
    void closingKeepsACallWhoseEndIsQueued() {
        Deque<Runnable> queued = new ArrayDeque<>();
        List<FailedCall> kept = new ArrayList<>();
        policy.maxAttempts(1).onExhaustion(ExhaustionAction.DEAD_LETTER);
        engine.executor(queued::add).deadLetters(kept::add);
        begin(builder());
        fail();
        assertThat(called.get()).isNotDone();

        built.get().close(); // the executor might have dropped its tasks

        assertThat(errorOf(called.get())).hasMessage("attempt 1");
        assertThat(kept).hasSize(1);
        queued.forEach(Runnable::run);
        assertThat(kept).hasSize(1);
    }

    @Test
    void anExecutorThatRunsARetryAfterTheShutdownKeepsTheCallOnce() {
        Deque<Runnable> queued = new ArrayDeque<>();
        List<FailedCall> kept = new ArrayList<>();
        policy.delay(Duration.ZERO).onExhaustion(ExhaustionAction.DEAD_LETTER);
        engine.executor(queued::add).deadLetters(kept::add);
        begin(builder());
        fail();
        built.get().close();
        assertThat(kept).hasSize(1);

        queued.forEach(Runnable::run);

        assertThat(kept).hasSize(1);
        assertThat(attempts).hasValue(1);
    }

    @Test
    void aSwitchEndsTheWaitsOfEveryEngineThatItServes() {
        RetrySwitch retrySwitch = new RetrySwitch();
        Retry one = builder().retrySwitch(retrySwitch).build();
        Retry other = builder().retrySwitch(retrySwitch).build();
        CompletableFuture<String> ofOne = one.callAsync(() -> failing(9));
        CompletableFuture<String> ofOther = other.callAsync(() -> failing(9));

        retrySwitch.turnOff();

        // On threads of their own.
        assertThatThrownBy(() -> ofOne.get(30, TimeUnit.SECONDS)).hasRootCauseMessage("attempt 1");
        assertThatThrownBy(() -> ofOther.get(30, TimeUnit.SECONDS)).hasRootCauseMessage("attempt 2");
        assertThat(time.pending()).isZero();
    }
}
