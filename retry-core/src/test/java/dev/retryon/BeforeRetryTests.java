// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The code that runs after a wait and before the next attempt of blocking and of stored calls. */
class BeforeRetryTests {

    private static final IOException DOWN = new IOException("down");

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final List<String> runs = new ArrayList<>();

    @AfterEach
    void noInterruptIsLeft() {
        assertThat(Thread.interrupted()).isFalse();
    }

    private static Trial trial(RetryPolicyBuilder policy, BeforeRetry<Object> beforeRetry) {
        return new Trial(policy, engine -> engine, retry -> retry.beforeRetry(beforeRetry));
    }

    private static Trial failing(Throwable error) {
        return trial(Trial.policy().maxAttempts(3), (subject, context) -> {
            throw error;
        });
    }

    @Test
    void runsAfterEachWaitAndNotBeforeTheFirstAttempt() {
        AtomicReference<Trial> self = new AtomicReference<>();
        Trial trial = trial(
                Trial.policy().maxAttempts(3),
                (subject, context) -> runs.add(subject + " before " + context.attempt() + " after "
                        + context.lastError().getMessage() + ", "
                        + self.get().attempts() + " run, waited "
                        + self.get().waits().size() + " times, same context "
                        + (RetryContext.current() == context)));
        self.set(trial);

        trial.call("up");
        assertThat(runs).isEmpty();

        assertThat(trial.call(DOWN, new IOException("still down"), "up").value())
                .isEqualTo("up");
        assertThat(runs)
                .containsExactly(
                        "subject before 2 after down, 1 run, waited 1 times, same context true",
                        "subject before 3 after still down, 2 run, waited 2 times, same context true");
    }

    @Test
    void runsBeforeARetryWithoutAWait() {
        Trial trial = trial(Trial.policy().delay(Duration.ZERO), (subject, context) -> runs.add("run"));

        assertThat(trial.call(DOWN, "up").value()).isEqualTo("up");
        assertThat(runs).containsExactly("run");
        assertThat(trial.waits()).isEmpty();
    }

    @Test
    void doesNotRunIfTheCallEnds() {
        Trial trial = trial(Trial.policy().maxAttempts(1), (subject, context) -> runs.add("run"));

        assertThat(trial.call(DOWN).thrown()).isSameAs(DOWN);
        assertThat(runs).isEmpty();
    }

    @Test
    void runsForAReturnedValueWithoutAnError() {
        Trial trial = trial(
                Trial.policy().retryIf((value, context) -> value.equals("pending")),
                (subject, context) -> runs.add(context.attempt() + " after " + context.lastError()));

        assertThat(trial.call("pending", "done").value()).isEqualTo("done");
        assertThat(runs).containsExactly("2 after null");
    }

    @Test
    void itsErrorEndsTheCallAsAnErrorThatIsNotRetried() {
        IOException own = new IOException("no token");
        Trial trial = failing(own).call(DOWN);

        assertThat(trial.thrown()).as("although IOException is listed").isSameAs(own);
        assertThat(own.getSuppressed()).contains(DOWN).hasSize(2);
        assertThat(own.getSuppressed()[1])
                .isInstanceOf(RetryHistory.class)
                .hasMessage("trial: 2 attempts, NOT_RETRYABLE; waited [1s]; earlier errors:"
                        + " [java.io.IOException: down]");
        assertThat(trial.attempts()).isEqualTo(1);
        assertThat(trial.events())
                .last()
                .isInstanceOfSatisfying(
                        RetryFailed.class,
                        failed -> assertThat(failed)
                                .returns(StopReason.NOT_RETRYABLE, RetryFailed::reason)
                                .returns(own, RetryFailed::error)
                                .returns(2, RetryFailed::attempt));
    }

    @Test
    void theErrorOfTheAttemptCanBeThrownAgain() {
        IOException error = new IOException("down");
        Trial trial = trial(Trial.policy(), (subject, context) -> {
            throw context.lastError();
        });

        assertThat(trial.call(error).thrown()).isSameAs(error);
        assertThat(error.getSuppressed()).hasOnlyElementsOfType(RetryHistory.class);
        assertThat(trial.reason()).isEqualTo(StopReason.NOT_RETRYABLE);
    }

    @Test
    void anErrorOfTheVirtualMachineEndsTheCallToo() {
        Error assertion = new AssertionError("no token");
        assertThat(failing(assertion).call(DOWN).thrown()).isSameAs(assertion);
        assertThat(assertion.getSuppressed()).contains(DOWN);

        Error memory = new OutOfMemoryError("no token");
        assertThat(failing(memory).call(DOWN).thrown()).isSameAs(memory);
    }

    @Test
    void anInterruptEndsTheCallAndKeepsTheFlag() {
        InterruptedException interrupted = new InterruptedException();
        Trial trial = failing(interrupted).call(DOWN);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(trial.thrown()).isSameAs(interrupted);
        assertThat(trial.reason()).isEqualTo(StopReason.INTERRUPTED);
    }

    @Test
    void aDirectiveOfItsErrorApplies() {
        assertThat(failing(RetrySignal.fail("no token")).call(DOWN).reason()).isEqualTo(StopReason.FAIL);
        assertThat(failing(RetrySignal.discard("no token")).call(DOWN).reason()).isEqualTo(StopReason.DISCARD);
        assertThat(failing(RetrySignal.retryAfter("no token", SECOND))
                        .call(DOWN)
                        .reason())
                .as("there is no retry of it")
                .isEqualTo(StopReason.NOT_RETRYABLE);
    }

    @Test
    void aRecoveryHandlesItsErrorOnlyIfItIsListed() {
        UncheckedIOException listed = new UncheckedIOException(new IOException("no token"));
        IllegalStateException other = new IllegalStateException("no token");
        AtomicReference<RuntimeException> next = new AtomicReference<>(other);
        Trial trial = new Trial(
                Trial.policy().recoverOn(UncheckedIOException.class),
                engine -> engine,
                retry -> retry.beforeRetry((subject, context) -> {
                            throw next.get();
                        })
                        .uncheckedRecovery((subject, thrown, context) ->
                                context.errors().size() + " errors, " + context.stopReason()));

        assertThat(trial.call(DOWN).thrown()).isSameAs(other);
        next.set(listed);
        assertThat(trial.call(DOWN).value()).isEqualTo("2 errors, NOT_RETRYABLE");
    }

    @Test
    void noAttemptStartsAfterTheTimeout() {
        AtomicReference<Trial> self = new AtomicReference<>();
        Trial trial = trial(
                Trial.policy().timeout(Duration.ofSeconds(5)),
                (subject, context) -> self.get().time.advance(Duration.ofSeconds(3)));
        self.set(trial);

        trial.call(DOWN);

        // 8 = 1 + 3 + 1 + 3; the third attempt would be the first one after 5 seconds
        assertThat(trial.thrown()).isSameAs(DOWN);
        assertThat(trial.attempts()).isEqualTo(2);
        assertThat(trial.reason()).isEqualTo(StopReason.TIMEOUT);
        assertThat(trial.events().get(trial.events().size() - 1).attempt()).isEqualTo(2);
    }

    @Test
    void anAttemptThatDoesNotStartIsNotInTheResult() {
        AtomicReference<Trial> self = new AtomicReference<>();
        Trial trial = trial(
                Trial.policy().timeout(Duration.ofSeconds(5)),
                (subject, context) -> self.get().time.advance(Duration.ofSeconds(3)));
        self.set(trial);

        RetryResult<Object> result = trial.retry.capture(() -> {
            throw DOWN;
        });

        assertThat(result.attempts()).isEqualTo(2);
        assertThat(result.errors()).containsExactly(DOWN, DOWN);
        assertThat(result.delays()).containsExactly(SECOND);
        assertThat(result.stopReason()).isEqualTo(StopReason.TIMEOUT);
    }

    @Test
    void theDelayBeforeAnAttemptThatDoesNotStartIsNotInTheResult() {
        AtomicReference<Trial> self = new AtomicReference<>();
        Trial trial = trial(
                Trial.policy().timeout(SECOND),
                (subject, context) -> self.get().time.advance(SECOND));
        self.set(trial);

        RetryResult<Object> result = trial.retry.capture(() -> {
            throw DOWN;
        });

        assertThat(result.attempts()).isEqualTo(1);
        assertThat(result.delays()).isEmpty();
    }

    @Test
    void theTimeLimitOfAnAttemptBeginsAfterIt() {
        AtomicReference<Trial> self = new AtomicReference<>();
        Trial trial = trial(Trial.policy().attemptTimeout(Duration.ofSeconds(2)), (subject, context) -> {
            self.get().time.advance(Duration.ofSeconds(3));
            runs.add("interrupted " + Thread.currentThread().isInterrupted());
        });
        self.set(trial);

        assertThat(trial.call(DOWN, "up").value()).isEqualTo("up");
        assertThat(runs).containsExactly("interrupted false");
    }

    @Test
    void noAttemptStartsAfterTheEngineWasClosedOrTheRetriesSwitchedOff() {
        AtomicReference<Trial> self = new AtomicReference<>();
        self.set(trial(Trial.policy(), (subject, context) -> self.get().engine.close()));
        assertThat(self.get().call(DOWN).attempts()).isEqualTo(1);
        assertThat(self.get().reason()).isEqualTo(StopReason.SHUTDOWN);

        RetrySwitch off = new RetrySwitch();
        Trial switched = new Trial(
                Trial.policy(),
                engine -> engine,
                retry -> retry.retrySwitch(off).beforeRetry((subject, context) -> off.turnOff()));
        assertThat(switched.call(DOWN).attempts()).isEqualTo(1);
        assertThat(switched.reason()).isEqualTo(StopReason.SWITCHED_OFF);
        assertThat(switched.thrown()).isSameAs(DOWN);
    }

    @Test
    void mayCallTheRetryItself() {
        AtomicReference<Trial> self = new AtomicReference<>();
        List<String> inner = new ArrayList<>();
        self.set(trial(Trial.policy(), (subject, context) -> {
            if (inner.isEmpty()) {
                inner.add("called");
                inner.add(self.get().retry.call(() -> {
                    if (inner.size() == 1) {
                        inner.add("attempt " + RetryContext.current().attempt());
                        throw DOWN;
                    }
                    return "inner, attempt " + RetryContext.current().attempt() + " of another call "
                            + (RetryContext.current() != context);
                }));
                inner.add("outer, same context " + (RetryContext.current() == context));
            }
        }));

        assertThat(self.get().call(DOWN, "up").value()).isEqualTo("up");
        assertThat(inner)
                .containsExactly(
                        "called", "attempt 1", "inner, attempt 2 of another call true", "outer, same context true");
    }

    @Test
    void isKeptByABuilderWithAnotherPolicy() {
        Trial trial = trial(Trial.policy(), (subject, context) -> runs.add("run"));
        Retry other =
                trial.retry.toBuilder(Trial.policy().maxAttempts(2).build()).build();

        other.capture(() -> {
            throw DOWN;
        });

        assertThat(runs).hasSize(1);
    }

    /** A call whose later attempts are made of nothing but what was stored. */
    private final class StoredCall implements CallHandover {

        private final VirtualTime time = new VirtualTime();

        private final List<FailedCall> kept = new ArrayList<>();

        private final Retry retry;

        private @Nullable CallState stored;

        private @Nullable Throwable thrown;

        StoredCall(BeforeRetry<Object> beforeRetry) {
            this.retry = Retry.builder("stored", Trial.policy().maxAttempts(3).build())
                    .engine(time.engine().deadLetters(kept::add).build())
                    .beforeRetry(beforeRetry)
                    .handOver(this)
                    .build();
        }

        @Override
        public void take(CallSubject subject, CallState state, Duration wait) {
            stored = state;
        }

        @Override
        public void ended(String callId, @Nullable StopReason discarded) {}

        @Override
        public void died(FailedCall call, dev.retryon.DeadLetterQueue queue) throws Exception {
            queue.add(call);
        }

        void attempt(@Nullable CallState from) {
            Retry next = from == null ? retry : retry.resume(from, SECOND, () -> true);
            stored = null;
            try {
                next.call("subject", (subject, attempt) -> {
                    runs.add("attempt " + attempt);
                    throw new IOException("down at " + attempt);
                });
            } catch (Throwable ex) {
                thrown = ex;
            }
        }
    }

    @Test
    void runsBeforeEachAttemptOfAStoredCallExceptTheFirst() {
        StoredCall call = new StoredCall((subject, context) -> runs.add(subject + " before " + context.attempt()
                + " of " + context.subject().target() + " after " + context.lastError()));

        call.attempt(CallState.first("7", VirtualTime.START));
        call.attempt(call.stored);
        call.attempt(call.stored);

        assertThat(runs)
                .containsExactly(
                        "attempt 1",
                        "subject before 2 of subject after null",
                        "attempt 2",
                        "subject before 3 of subject after null",
                        "attempt 3");
        assertThat(call.kept).singleElement().returns(StopReason.EXHAUSTED, FailedCall::reason);
    }

    @Test
    void itsErrorEndsAStoredCall() {
        StoredCall call = new StoredCall((subject, context) -> {
            throw new CompletionException(new IOException("no token"));
        });

        call.attempt(null);
        call.attempt(call.stored);

        assertThat(runs).containsExactly("attempt 1");
        assertThat(call.stored).isNull();
        assertThat(call.thrown).hasRootCauseMessage("no token");
        assertThat(call.kept)
                .singleElement()
                .returns(StopReason.NOT_RETRYABLE, FailedCall::reason)
                .satisfies(failed -> assertThat(failed.error()).hasMessage("no token"))
                .satisfies(failed -> assertThat(failed.state().attempt()).isEqualTo(2));
    }

    @Test
    void anInterruptStoresAStoredCallAgain() {
        StoredCall call = new StoredCall((subject, context) -> {
            throw new InterruptedException();
        });

        call.attempt(null);
        call.attempt(call.stored);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(call.kept).isEmpty();
        assertThat(call.stored).isNotNull().returns(2, CallState::attempt);
    }

    @Test
    void isNotInvokedForAResumedAsynchronousFirstAttempt() {
        StoredCall call = new StoredCall((subject, context) -> runs.add("before " + context.attempt()));
        Retry first = call.retry.resume(CallState.first("7", VirtualTime.START), Duration.ZERO, () -> true);
        Retry second = call.retry.resume(
                new CallState("8", 1, null, VirtualTime.START, List.of(), null, null, null), Duration.ZERO, () -> true);

        assertThat(first.callAsync(() -> AsyncRetryFixture.done("value"))).isCompletedWithValue("value");
        assertThat(runs).isEmpty();
        assertThat(second.callAsync(() -> AsyncRetryFixture.done("value"))).isCompletedWithValue("value");
        assertThat(runs).containsExactly("before 2");
    }
}
