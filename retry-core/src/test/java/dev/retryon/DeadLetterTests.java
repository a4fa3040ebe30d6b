// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterRecorder;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterSummary;
import dev.retryon.deadletter.InMemoryDeadLetterStore;
import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that fail for good and are kept. */
class DeadLetterTests {

    private final InMemoryDeadLetterStore store = new InMemoryDeadLetterStore();

    private Trial trial(RetryPolicyBuilder policy) {
        return new Trial(policy, engine -> engine.deadLetters(new DeadLetterRecorder(store)));
    }

    private static RetryPolicyBuilder keeping() {
        return Trial.policy().maxAttempts(3).onExhaustion(ExhaustionAction.DEAD_LETTER);
    }

    private DeadLetter only() {
        List<DeadLetterSummary> letters =
                store.list(DeadLetterFilter.ALL, null, 10).letters();
        assertThat(letters).hasSize(1);
        return store.find(letters.get(0).id()).orElseThrow();
    }

    @Test
    void theCallIsKeptAndTheCallerGetsTheError() {
        IOException last = new IOException("down 3");

        Trial trial = trial(keeping()).call(new IOException("down 1"), new IOException("down 2"), last);

        assertThat(trial.thrown()).isSameAs(last);
        DeadLetter letter = only();
        assertThat(letter.id()).isEqualTo(trial.events().get(0).callId());
        assertThat(letter.name()).isEqualTo("trial");
        assertThat(letter.status()).isEqualTo(DeadLetterStatus.DEAD);
        assertThat(letter.reason()).isEqualTo(StopReason.EXHAUSTED);
        assertThat(letter.attempts()).isEqualTo(3);
        assertThat(letter.errorType()).isEqualTo("java.io.IOException");
        assertThat(letter.errorCode()).isEqualTo("java.io.IOException");
        assertThat(letter.errorMessage()).isEqualTo("down 3");
        assertThat(letter.stackTrace())
                .startsWith("java.io.IOException: down 3")
                .contains("DeadLetterTests");
        assertThat(letter.failures())
                .extracting(DeadLetter.Failure::attempt, DeadLetter.Failure::errorMessage)
                .containsExactly(tuple(1, "down 1"), tuple(2, "down 2"), tuple(3, "down 3"));
        assertThat(letter.failures())
                .extracting(failure -> Duration.between(letter.firstFailedAt(), failure.at()))
                .containsExactly(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(2));
    }

    @Test
    void theEventOfTheDeadLetterComesBeforeThatOfTheFailure() {
        Trial trial = trial(keeping()).call(new IOException("down"));

        assertThat(trial.events())
                .extracting(event -> event.getClass().getSimpleName())
                .containsExactly("RetryScheduled", "RetryScheduled", "DeadLettered", "RetryFailed");
        assertThat(trial.events().get(2)).isInstanceOfSatisfying(DeadLettered.class, event -> {
            assertThat(event.error()).isSameAs(trial.thrown());
            assertThat(event.reason()).isEqualTo(StopReason.EXHAUSTED);
        });
        assertThat(trial.events().get(2).toString())
                .matches("trial: dead letter .* after attempt 3 of 3 \\(EXHAUSTED\\): java.io.IOException");
    }

    @Test
    void errorsThatAreNotRetriedAreKeptToo() {
        trial(keeping()).call(new IllegalStateException("no"));

        assertThat(only().reason()).isEqualTo(StopReason.NOT_RETRYABLE);
    }

    @Test
    void aValueThatStaysWrongIsKeptWithoutAnError() {
        trial(keeping().retryIf((value, call) -> value.equals("pending"))).call("pending");

        DeadLetter letter = only();
        assertThat(letter.errorType()).isNull();
        assertThat(letter.stackTrace()).isNull();
        assertThat(letter.attempts()).isEqualTo(3);
    }

    @Test
    void nothingIsKeptUnlessThePolicySaysSo() {
        trial(Trial.policy()).call(new IOException("down"));

        assertThat(store.count(DeadLetterFilter.ALL)).isZero();
    }

    @ParameterizedTest
    @EnumSource(
            value = RetryDirective.class,
            names = {"DISCARD", "FAIL", "DEAD_LETTER"})
    void directivesDecideWhateverThePolicySays(RetryDirective directive) {
        trial(keeping()).call(new RetrySignal(directive, "said so", null));
        boolean kept = store.count(DeadLetterFilter.ALL) == 1;
        trial(Trial.policy()).call(new RetrySignal(directive, "said so", null));

        assertThat(kept).isEqualTo(directive == RetryDirective.DEAD_LETTER);
        assertThat(store.count(DeadLetterFilter.ALL)).isEqualTo(kept ? 2 : 0);
    }

    @Test
    void aCallThatOnlyItsLastErrorMakesADeadLetterKnowsWhenEachAttemptFailed() {
        RetrySignal poison = new RetrySignal(RetryDirective.DEAD_LETTER, "poison", null);

        trial(Trial.policy().maxAttempts(3)).call(new IOException("down 1"), new IOException("down 2"), poison);

        DeadLetter letter = only();
        assertThat(letter.failures())
                .extracting(failure -> Duration.between(letter.firstFailedAt(), failure.at()))
                .containsExactly(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(2));
        assertThat(letter.firstFailedAt()).isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));
    }

    @Test
    void attemptsHaveTheirTimesThoughNobodyHearsOfThem() {
        VirtualTime time = new VirtualTime();
        Retry retry = Retry.builder("unheard", keeping().build())
                .engine(time.engine().deadLetters(new DeadLetterRecorder(store)).build())
                .build();

        assertThatThrownBy(() -> retry.run(() -> {
                    throw new IOException("down");
                }))
                .isInstanceOf(IOException.class);

        assertThat(only().failures())
                .extracting(failure -> Duration.between(VirtualTime.START, failure.at()))
                .containsExactly(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(2));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAttemptFailedBeforeTheWaitThatTheShutdownEnds(boolean heard) {
        VirtualTime time = new VirtualTime();
        RetryEngineBuilder builder = time.engine().executor(Runnable::run).deadLetters(new DeadLetterRecorder(store));
        RetryEngine engine = (heard ? builder.listener(new ArrayList<RetryEvent>()::add) : builder).build();
        Retry retry = Retry.builder("later", keeping().build()).engine(engine).build();
        CompletableFuture<String> waiting =
                retry.callAsync(() -> CompletableFuture.failedFuture(new IOException("down")));
        time.advance(Duration.ofMillis(300));

        engine.close();

        assertThat(waiting).failsWithin(Duration.ofSeconds(30));
        assertThat(only().reason()).isEqualTo(StopReason.SHUTDOWN);
        assertThat(only().failures()).singleElement().returns(VirtualTime.START, DeadLetter.Failure::at);
    }

    @Test
    void anInterruptedCallIsNotKept() {
        trial(keeping()).call(new InterruptedException());

        assertThat(Thread.interrupted()).isTrue();
        assertThat(store.count(DeadLetterFilter.ALL)).isZero();
    }

    @Test
    void theCallIsKeptBeforeItIsRecovered() {
        List<String> order = new ArrayList<>();
        Trial trial = new Trial(
                keeping(),
                engine -> engine.deadLetters(call -> order.add("kept")),
                retry -> retry.uncheckedRecovery((subject, thrown, context) -> {
                    order.add("recovered");
                    return "instead";
                }));

        trial.call(new IOException("down"));

        assertThat(trial.value()).isEqualTo("instead");
        assertThat(order).containsExactly("kept", "recovered");
    }

    @Test
    void aQueueThatFailsLeavesTheCallersErrorAsItIs() {
        Error fault = new NoClassDefFoundError("no store");
        Trial trial = new Trial(
                keeping(),
                engine -> engine.deadLetters(call -> {
                    throw fault;
                }));
        IOException down = new IOException("down");

        try (LoggedWarnings warnings = new LoggedWarnings()) {
            trial.call(down);
            trial.call(new IOException("down again"));

            assertThat(warnings.messages())
                    .containsExactly("trial: a failed call could not be kept as a dead letter (logged once for "
                            + "java.lang.NoClassDefFoundError)");
        }
        assertThat(down.getSuppressed()).contains(fault);
        assertThat(trial.events()).noneMatch(DeadLettered.class::isInstance).hasSize(3);
    }

    @Test
    void withoutAQueueTheCallerIsToldThatTheCallIsLost() {
        Trial trial = new Trial(keeping());

        try (LoggedWarnings warnings = new LoggedWarnings()) {
            trial.call(new IOException("down"));

            assertThat(warnings.messages()).hasSize(1);
        }
        assertThat(trial.thrown().getSuppressed())
                .anyMatch(suppressed ->
                        String.valueOf(suppressed.getMessage()).contains("the engine has no DeadLetterQueue"));
    }

    @Test
    void aCancelledCallIsNotKept() {
        VirtualTime time = new VirtualTime();
        Retry retry = Retry.builder("later", keeping().build())
                .engine(time.engine().deadLetters(new DeadLetterRecorder(store)).build())
                .build();
        CompletableFuture<String> waiting =
                retry.callAsync(() -> CompletableFuture.failedFuture(new IOException("down")));

        assertThat(time.pending()).isEqualTo(1);
        waiting.cancel(false);

        assertThat(store.list(DeadLetterFilter.ALL, null, 10).letters()).isEmpty();
    }

    @Test
    void anAsynchronousCallIsKeptOnTheExecutor() throws Exception {
        AtomicReference<Thread> keeper = new AtomicReference<>();
        List<Runnable> tasks = new ArrayList<>();
        VirtualTime time = new VirtualTime();
        RetryEngine engine = time.engine()
                .executor(tasks::add)
                .deadLetters(call -> keeper.set(Thread.currentThread()))
                .build();
        Retry retry = Retry.builder("later", keeping().maxAttempts(1).build())
                .engine(engine)
                .build();

        CompletableFuture<String> future =
                retry.callAsync(() -> CompletableFuture.failedFuture(new IOException("down")));

        assertThat(future).isNotDone();
        Thread executor = new Thread(tasks.get(0));
        executor.start();
        assertThatThrownBy(future::get).hasRootCauseMessage("down");
        assertThat(keeper.get()).isSameAs(executor);
    }

    @Test
    void anExecutorThatRefusesDoesNotLoseAnAsynchronousCall() {
        RetryEngine engine = new VirtualTime()
                .engine()
                .executor(task -> {
                    throw new RejectedExecutionException();
                })
                .deadLetters(new DeadLetterRecorder(store))
                .build();
        Retry retry = Retry.builder("later", keeping().maxAttempts(1).build())
                .engine(engine)
                .build();

        CompletableFuture<String> future =
                retry.callAsync(() -> CompletableFuture.failedFuture(new IOException("down")));

        assertThat(future).isCompletedExceptionally();
        assertThat(only().errorMessage()).isEqualTo("down");
    }
}
