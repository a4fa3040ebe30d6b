// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A call that is stored after each failure and continues elsewhere: a third driver, beside the blocking and the asynchronous one. */
class StoredCallTests {

    private final VirtualTime time = new VirtualTime();

    private final List<RetryEvent> events = new ArrayList<>();

    private final List<Integer> numbers = new ArrayList<>();

    private final List<FailedCall> kept = new ArrayList<>();

    private final RetryEngine engine =
            time.engine().listener(events::add).deadLetters(kept::add).build();

    /** Makes the attempts of a call, each of them from nothing but what was stored. */
    private final class Driver implements CallHandover {

        private final Retry retry;

        private final Deque<Object> outcomes;

        private CallState stored;

        private Duration delay;

        private final List<String> ended = new ArrayList<>();

        private final List<FailedCall> died = new ArrayList<>();

        private boolean leaseValid = true;

        private @Nullable Object value;

        private @Nullable Throwable thrown;

        Driver(RetryPolicyBuilder policy, Object... outcomes) {
            this(Retry.builder("stored", policy.build()), outcomes);
        }

        Driver(RetryBuilder retry, Object... outcomes) {
            this(retry.engine(engine), new ArrayDeque<>(Arrays.asList(outcomes)));
        }

        Driver(RetryPolicyBuilder policy, RetryEngine engine, Object... outcomes) {
            this(Retry.builder("stored", policy.build()).engine(engine), new ArrayDeque<>(Arrays.asList(outcomes)));
        }

        private Driver(RetryBuilder retry, Deque<Object> outcomes) {
            this.retry = retry.handOver(this).build();
            this.outcomes = outcomes;
        }

        @Override
        public void take(CallSubject subject, CallState state, Duration wait) {
            stored = state;
            delay = wait;
        }

        @Override
        public void ended(String callId, @Nullable StopReason discarded) {
            ended.add(callId);
            if (outcomes.contains("a store that fails")) {
                throw new IllegalStateException("a store that fails");
            }
        }

        @Override
        public void died(FailedCall call, DeadLetterQueue queue) throws Exception {
            died.add(call);
            queue.add(call);
        }

        void run() {
            attempt(retry);
            goOn();
        }

        void goOn() {
            while (stored != null) {
                CallState state = stored;
                stored = null;
                time.advance(delay);
                attempt(retry.resume(state, delay, () -> leaseValid));
            }
        }

        void attempt(Retry next) {
            thrown = null;
            value = null;
            try {
                value = next.call("subject", (subject, attempt) -> {
                    numbers.add(attempt);
                    Object outcome = outcomes.remove();
                    if (outcome instanceof Throwable error) {
                        throw error;
                    }
                    return outcome;
                });
            } catch (Throwable ex) {
                thrown = ex;
            }
        }
    }

    @Test
    void whoeverHasTakenACallOverIsToldOfItsEnd() {
        Driver atOnce = new Driver(Trial.policy(), "done");
        atOnce.run();
        assertThat(atOnce.ended).isEmpty();

        Driver later = new Driver(Trial.policy(), down(1), "done");
        later.run();
        assertThat(later.ended).containsExactly(events.get(events.size() - 1).callId());
        assertThat(later.died).isEmpty();

        Driver discarded = new Driver(
                Trial.policy(), down(1), new RetrySignal(RetryDirective.DISCARD, "nobody wants it", null, null, null));
        discarded.run();
        assertThat(discarded.ended).hasSize(1);
        assertThat(discarded.died).isEmpty();

        Driver dead = new Driver(Trial.policy().maxAttempts(2), down(1), down(2));
        dead.run();
        assertThat(dead.ended).isEmpty();
        assertThat(dead.died).singleElement().returns(StopReason.EXHAUSTED, FailedCall::reason);
        assertThat(kept).isEqualTo(dead.died);
    }

    @Test
    void aStoredCallThatMayBeLostEndsWithoutADeadLetter() {
        RetryPolicyBuilder policy = Trial.policy().maxAttempts(2).onExhaustion(ExhaustionAction.DISCARD);
        for (Throwable last :
                List.of(down(2), new IllegalStateException("not retried"), RetrySignal.fail("for good"))) {
            events.clear();
            Driver driver = new Driver(policy, down(1), last);

            driver.run();

            assertThat(driver.ended).as("%s", last).hasSize(1);
            assertThat(driver.died).isEmpty();
            assertThat(events).last().isInstanceOf(RetryFailed.class);
        }
        assertThat(kept).isEmpty();
    }

    @Test
    void theTimeOfACallThatRunsBeforeItsPlannedStartCountsFromItsRun() throws Throwable {
        Retry retry =
                Retry.builder("planned", Trial.policy().build()).engine(engine).build();
        CallState planned = CallState.first("id", time.instant().plusSeconds(3600));

        Duration elapsed = retry.resume(planned, Duration.ZERO, () -> true).call("subject", (subject, attempt) -> {
            time.advance(Duration.ofMinutes(1));
            return RetryContext.current().elapsed();
        });

        assertThat(elapsed).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void anErrorThatAsksForADeadLetterIsKeptAlthoughCallsMayBeLost() {
        RetryPolicyBuilder policy = Trial.policy().onExhaustion(ExhaustionAction.DISCARD);
        Driver driver = new Driver(policy, down(1), RetrySignal.deadLetter("look at this"));

        driver.run();

        assertThat(driver.died).hasSize(1);
        assertThat(driver.ended).isEmpty();
    }

    @Test
    void aCallThatWasNotStoredReachesItsCallerWithDiscardToo() {
        RetryPolicyBuilder policy = Trial.policy().onExhaustion(ExhaustionAction.DISCARD);
        Driver driver = new Driver(policy, new IllegalStateException("not retried"));

        driver.run();

        assertThat(driver.thrown).hasMessage("not retried");
        assertThat(driver.ended).isEmpty();
        assertThat(driver.died).isEmpty();
    }

    @Test
    void aDeadLetterOfACallThatStaysIsNoBusinessOfWhoeverWouldHaveTakenItOver() {
        Driver driver = new Driver(
                Trial.policy().onExhaustion(ExhaustionAction.DEAD_LETTER), new IllegalStateException("not retried"));

        driver.run();

        assertThat(driver.died).isEmpty();
        assertThat(kept).hasSize(1);
    }

    @Test
    void aCallSucceedsThoughItsEndCanNotBeStored() {
        List<String> faults = new ArrayList<>();
        RetryEngine watched = time.engine()
                .extensionErrorListener(
                        (source, name, sentence, cause) -> faults.add(source + ": " + cause.getMessage()))
                .build();
        Driver driver = new Driver(Trial.policy(), watched, down(1), "done", "a store that fails");

        driver.run();

        assertThat(driver.value).isEqualTo("done");
        assertThat(faults).containsExactly("STORE: a store that fails");
    }

    private static IOException down(int attempt) {
        return new IOException("down " + attempt);
    }

    /** Although only the latest of its attempts are stored. */
    @Test
    void aStoredCallKnowsWhenItsFirstAttemptFailed() {
        Throwable[] failures =
                IntStream.range(1, 25).mapToObj(StoredCallTests::down).toArray(Throwable[]::new);
        Driver driver = new Driver(Trial.policy().maxAttempts(24), (Object[]) failures);
        Instant first = time.instant();

        driver.run();

        assertThat(events)
                .allSatisfy(
                        event -> assertThat(event.sinceFirstFailure()).isEqualTo(Duration.between(first, event.at())));
        assertThat(events).last().returns(Duration.ofSeconds(23), RetryEvent::sinceFirstFailure);
    }

    @Test
    void theTimeOfACallThatWaitedForItsFirstAttemptCountsFromItsFirstFailure() {
        Retry retry = Retry.builder("stored", Trial.policy().maxAttempts(1).build())
                .engine(engine)
                .build();
        CallState waiting = CallState.first("id", time.instant().minusSeconds(3600));

        assertThatThrownBy(
                        () -> retry.resume(waiting, Duration.ZERO, () -> true).run(() -> {
                            throw down(1);
                        }))
                .hasMessage("down 1");

        assertThat(events)
                .isNotEmpty()
                .allSatisfy(event -> assertThat(event.sinceFirstFailure()).isZero());
    }

    @Test
    void endsAsACallThatStaysInMemory() {
        IOException last = down(3);
        RetryPolicyBuilder policy = Trial.policy().backoff("exponential").maxAttempts(3);
        Trial inMemory = new Trial(policy).call(down(1), down(2), down(3));
        Driver driver = new Driver(policy, down(1), down(2), last);

        driver.run();

        assertThat(driver.thrown).isSameAs(last);
        List<Class<?>> classes = classes(inMemory.events());
        // Nobody gets the error of a call that was taken over, so it is kept.
        classes.add(2, DeadLettered.class);
        assertThat(events).extracting(Object::getClass).isEqualTo(classes);
        assertThat(events).extracting(RetryEvent::attempt).containsExactly(1, 2, 3, 3);
        assertThat(numbers).containsExactly(1, 2, 3);
        assertThat(events)
                .extracting(RetryEvent::callId)
                .containsOnly(events.get(0).callId());
        // 3 s = 1 s + 2 s
        assertThat(events.get(2).sinceFirstFailure()).isEqualTo(Duration.ofSeconds(3));
        assertThat(last.getSuppressed()[0]).hasMessageStartingWith("stored: 3 attempts, EXHAUSTED; waited [1s, 2s]; ");
    }

    private static List<Class<?>> classes(List<RetryEvent> events) {
        List<Class<?>> classes = new ArrayList<>();
        events.forEach(event -> classes.add(event.getClass()));
        return classes;
    }

    @Test
    void succeedsAfterRetries() {
        Driver driver = new Driver(Trial.policy(), down(1), down(2), "up");

        driver.run();

        assertThat(driver.value).isEqualTo("up");
        assertThat(events).last().isInstanceOf(RetrySucceeded.class);
        assertThat(((RetrySucceeded) events.get(2)).retries()).isEqualTo(2);
    }

    @Test
    void theTimeoutCountsFromTheFirstAttempt() {
        Driver driver = new Driver(Trial.policy().timeout(Duration.ofMillis(2500)), down(1), down(2), down(3), down(4));

        driver.run();

        assertThat(driver.thrown).hasMessage("down 3");
        assertThat(((RetryFailed) events.get(3)).reason()).isEqualTo(StopReason.TIMEOUT);
    }

    @Test
    void previousIsWhatWasWaitedBeforeTheCallWasStored() {
        List<Duration> previous = new ArrayList<>();
        Driver driver = new Driver(
                Trial.policy().maxAttempts(3).backoff((retry, base, last) -> {
                    previous.add(last);
                    return Duration.ofSeconds(retry);
                }),
                down(1),
                down(2),
                down(3));

        driver.run();

        assertThat(previous).containsExactly(null, Duration.ofSeconds(1));
    }

    @Test
    void theRecoveryServesTheCallerAndTheEventSaysSo() {
        RetryRecovery<Object, String> recovery =
                (subject, thrown, context) -> "recovered " + subject + " after " + context.attempt();
        Driver driver = new Driver(
                Retry.builder("stored", Trial.policy().maxAttempts(2).build()).uncheckedRecovery(recovery),
                down(1),
                down(2));

        driver.run();

        assertThat(driver.value).isEqualTo("recovered subject after 2");
        assertThat(driver.thrown).isNull();
        assertThat(((RetryFailed) events.get(2)).recovered()).isTrue();
    }

    @Test
    void theStateHoldsNeitherErrorsNorArguments() throws Exception {
        RetryCall call = new RetryCall(Retry.builder("stored", Trial.policy().build())
                .handOver((subject, state, delay) -> {})
                .build()
                .settings());
        Object argument = new Object();
        call.about(argument);
        call.failed(down(1));
        call.next(Duration.ofSeconds(1));
        call.failed(down(2));

        CallState state = call.state();

        assertThat(Reachable.from(state)).noneMatch(each -> each instanceof Throwable || each == argument);
        assertThat(state.attempt()).isEqualTo(2);
        assertThat(state.error()).hasToString("java.io.IOException: down 2");
        assertThat(state.past()).singleElement().satisfies(failed -> {
            assertThat(failed.number()).isEqualTo(1);
            assertThat(failed.error()).hasToString("java.io.IOException: down 1");
            assertThat(failed.delay()).hasSeconds(1);
        });
        assertThat(RetryCall.restore(call.settings(), state, null).state()).isEqualTo(state);
    }

    @Test
    void theCallerOfACallThatWasTakenOverReceivesNothing() {
        Driver driver = new Driver(Trial.policy(), down(1));

        driver.attempt(driver.retry);

        assertThat(driver.thrown).isNull();
        assertThat(driver.stored.attempt()).isEqualTo(1);
        assertThat(driver.delay).hasSeconds(1);
        assertThat(events).singleElement().isInstanceOf(RetryScheduled.class);
    }

    @Test
    void theCallerGetsTheErrorIfTheCallCannotBeTakenOver() {
        IOException full = new IOException("disk full");
        Retry retry = Retry.builder("stored", Trial.policy().build())
                .engine(engine)
                .handOver((subject, state, delay) -> {
                    throw full;
                })
                .build();
        IOException down = down(1);

        try (LoggedWarnings warnings = new LoggedWarnings()) {
            assertThatThrownBy(() -> retry.call(() -> {
                        throw down;
                    }))
                    .isSameAs(down);
            assertThat(warnings.messages()).hasSize(1);
        }
        assertThat(down.getSuppressed()).contains(full);
        assertThat(((RetryFailed) events.get(0)).reason()).isEqualTo(StopReason.REJECTED);
    }

    @Test
    void aCallThatWasStoredFirstBeginsWithItsFirstAttempt() {
        Driver driver = new Driver(Trial.policy(), down(1), "up");
        driver.stored = CallState.first("the-id", time.instant());
        driver.delay = Duration.ZERO;

        driver.goOn();

        assertThat(driver.value).isEqualTo("up");
        assertThat(numbers).containsExactly(1, 2);
        assertThat(events).extracting(RetryEvent::callId).containsOnly("the-id");
    }

    @Test
    void anInterruptedAttemptIsMadeAgainElsewhere() {
        Driver driver = new Driver(Trial.policy(), down(1), new InterruptedException(), "up");
        driver.attempt(driver.retry);
        CallState state = driver.stored;
        driver.stored = null;

        driver.attempt(driver.retry.resume(state, driver.delay, () -> true));
        boolean interrupted = Thread.interrupted();
        driver.goOn();

        assertThat(interrupted).isTrue();
        assertThat(driver.value).isEqualTo("up");
        assertThat(numbers).containsExactly(1, 2, 3);
        assertThat(kept).isEmpty();
    }

    @Test
    void interruptedAttemptsCountSoThatNoCallIsMadeForEver() {
        InterruptedException last = new InterruptedException();
        Driver driver = new Driver(Trial.policy().maxAttempts(3), down(1), new InterruptedException(), last, "up");

        driver.run();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(numbers).containsExactly(1, 2, 3);
        assertThat(driver.thrown).isSameAs(last);
        assertThat(driver.died).singleElement().satisfies(died -> {
            assertThat(died.reason()).isEqualTo(StopReason.EXHAUSTED);
            assertThat(died.state().attempt()).isEqualTo(3);
        });
    }

    @Test
    void anInterruptedAttemptIsNotMadeAgainAfterTheTimeOfTheCall() {
        Driver driver = new Driver(
                Trial.policy().delay(Duration.ofSeconds(4)).timeout(Duration.ofSeconds(6)),
                down(1),
                new InterruptedException(),
                "up");

        driver.run();

        assertThat(Thread.interrupted()).isTrue();
        // 4 s + 4 s is more than 6 s
        assertThat(numbers).containsExactly(1, 2);
        assertThat(driver.died).extracting(FailedCall::reason).containsExactly(StopReason.TIMEOUT);
    }

    @Test
    void aClosedEngineDoesNotLoseTheCall() {
        Driver driver = new Driver(Trial.policy(), down(1));
        engine.close();

        driver.attempt(driver.retry);

        assertThat(driver.stored).isNotNull();
        assertThat(driver.thrown).isNull();
    }

    @Test
    void aRequestedWaitIsKeptAsAskedHoweverLong() {
        Driver driver = new Driver(
                Trial.policy().maxDelay(Duration.ofSeconds(5)), RetrySignal.retryAfter("later", Duration.ofDays(2)));

        driver.attempt(driver.retry);

        assertThat(driver.delay).hasDays(2);
    }

    @Test
    void aCallThatIsNeverToBeRetriedIsNotStored() {
        RetryEngine never = time.engine()
                .hintResolver((error, call) -> RetryHint.ofRetryAfter(RetryHint.NEVER))
                .listener(events::add)
                .build();
        Driver driver = new Driver(Trial.policy(), never, down(1));

        driver.attempt(driver.retry);

        assertThat(driver.stored).isNull();
        assertThat(driver.thrown).hasMessage("down 1");
        assertThat(events)
                .last()
                .isInstanceOfSatisfying(
                        RetryFailed.class, failed -> assertThat(failed.reason()).isEqualTo(StopReason.DELAY_TOO_LONG));
    }

    @Test
    void aResolverKnowsWhetherTheCallIsStored() {
        RetryHintResolver whenStored =
                (error, call) -> call.isDurable() ? RetryHint.ofRetryAfter(Duration.ofDays(call.attempt())) : null;
        Driver driver = new Driver(
                Trial.policy(), time.engine().hintResolver(whenStored).build(), down(1));

        driver.attempt(driver.retry);

        assertThat(driver.delay).hasDays(1);
    }

    @Test
    void theAttemptKnowsThatItIsStoredAndWhetherItIsStillHeld() {
        List<Boolean> answers = new ArrayList<>();
        Driver driver = new Driver(Trial.policy(), down(1));
        driver.attempt(driver.retry);
        Retry resumed = driver.retry.resume(driver.stored, driver.delay, () -> driver.leaseValid);

        resumed.run(() -> {
            RetryContext call = RetryContext.current();
            answers.add(call.isDurable());
            answers.add(call.leaseValid());
            driver.leaseValid = false;
            answers.add(call.leaseValid());
        });

        assertThat(answers).containsExactly(true, true, false);
    }

    @Test
    void aCallThatIsSentAgainInThisProcessWaitsHereAndIsKeptWhenItFails() {
        Retry retry = Retry.builder("again", Trial.policy().maxAttempts(2).build())
                .engine(engine)
                .build();
        Retry again = retry.resume(CallState.first("the-id", time.instant()), Duration.ZERO, () -> true);
        IOException down = down(2);

        assertThatThrownBy(() -> again.call(() -> {
                    throw down;
                }))
                .isSameAs(down);

        assertThat(time.waits()).containsExactly(Duration.ofSeconds(1));
        assertThat(kept).singleElement().satisfies(call -> {
            assertThat(call.state().callId()).isEqualTo("the-id");
            assertThat(call.state().attempt()).isEqualTo(2);
            assertThat(call).hasToString("again: EXHAUSTED after attempt 2: java.io.IOException");
        });
    }

    @Test
    void aCallStaysHereThoughOthersAreGivenAway() {
        Driver driver = new Driver(Trial.policy(), down(1), "up");
        RetryBuilder stays =
                Retry.builder("stays", Trial.policy().build()).engine(engine).handOver(driver);

        driver.attempt(stays.handOver(null).build());
        assertThat(driver.value).isEqualTo("up");

        assertThat(numbers).containsExactly(1, 2);
        assertThat(time.waits()).containsExactly(Duration.ofSeconds(1));
        assertThat(driver.stored).isNull();
    }

    @Test
    void aCallThatCannotBeMadeAnyMoreIsKept() {
        List<Object> asked = new ArrayList<>();
        Retry retry = Retry.builder(
                        "gone",
                        Trial.policy().onlyIf((error, call) -> asked.add(call)).build())
                .engine(engine)
                .uncheckedRecovery((RetryRecovery<Object, Object>) (subject, thrown, context) -> asked.add(context))
                .build();
        CallState state = new CallState(
                "the-id",
                2,
                Duration.ofSeconds(1),
                time.instant(),
                List.of(),
                new ErrorText("Down", "2"),
                time.instant(),
                null);
        Exception gone = new Exception("no such method");

        boolean isKept = retry.resume(state, Duration.ofSeconds(1), () -> true)
                .giveUp(CallSubject.of("Gone#call()", null), gone);

        assertThat(isKept).isTrue();
        assertThat(asked).isEmpty();
        assertThat(kept).singleElement().satisfies(call -> {
            assertThat(call.reason()).isEqualTo(StopReason.UNRESOLVABLE);
            assertThat(call.subject().key()).isEqualTo("Gone#call()");
            assertThat(call.error()).isSameAs(gone);
            assertThat(call.state().attempt()).isEqualTo(3);
            assertThat(call.state().past()).last().satisfies(failed -> {
                assertThat(failed.number()).isEqualTo(2);
                assertThat(failed.error()).hasToString("Down: 2");
            });
        });
        assertThat(classes(events)).isEqualTo(List.of(DeadLettered.class, RetryFailed.class));
    }

    @Test
    void aCallThatCannotBeKeptIsNotGivenUp() {
        RetryEngine full = time.engine()
                .deadLetters(call -> {
                    throw new IOException("disk full");
                })
                .build();
        Retry retry = Retry.builder("gone", Trial.policy().build()).engine(full).build();
        Exception gone = new Exception("no such method");

        try (LoggedWarnings warnings = new LoggedWarnings()) {
            assertThat(retry.resume(CallState.first("the-id", time.instant()), Duration.ZERO, () -> true)
                            .giveUp(CallSubject.of("Gone#call()", null), gone))
                    .isFalse();
            assertThat(warnings.messages()).hasSize(1);
        }
        assertThat(gone.getSuppressed()).hasAtLeastOneElementOfType(IOException.class);
    }

    @Test
    void onlyAStoredCallIsGivenUp() {
        Retry retry = Retry.of("gone", Trial.policy().build());

        assertThatThrownBy(() -> retry.giveUp(CallSubject.of("Gone#call()", null), new Exception()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'gone'");
    }

    @Test
    void anAsynchronousCallGoesOnWithItsIdAndNumber() throws Exception {
        Retry retry =
                Retry.builder("again", Trial.policy().build()).engine(engine).build();
        CallState state =
                new CallState("the-id", 2, Duration.ofSeconds(1), time.instant(), List.of(), null, null, null);
        Retry again = retry.resume(state, Duration.ofSeconds(1), () -> true);

        String seen = again.callAsync("subject", (subject, attempt) -> {
                    RetryContext call = RetryContext.current();
                    return CompletableFuture.completedFuture(call.callId() + " " + call.attempt() + " " + attempt);
                })
                .get();

        assertThat(seen).isEqualTo("the-id 3 3");
        assertThat(events).singleElement().isInstanceOf(RetrySucceeded.class);
    }
}
