// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

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

/** Calls that fail permanently and are kept. */
class DeadLetterTests {

    private static final Instant START = VirtualTime.START;

    private final List<FailedCall> kept = new ArrayList<>();

    private Trial trial(RetryPolicyBuilder policy) {
        return new Trial(policy, engine -> engine.deadLetters(kept::add));
    }

    private static RetryPolicyBuilder keeping() {
        return Trial.policy().maxAttempts(3).onExhaustion(ExhaustionAction.DEAD_LETTER);
    }

    private FailedCall only() {
        assertThat(kept).hasSize(1);
        return kept.get(0);
    }

    private static List<Instant> failures(FailedCall call) {
        List<Instant> times = new ArrayList<>();
        call.state().past().forEach(failed -> times.add(failed.failedAt()));
        times.add(call.state().failedAt());
        return times;
    }

    @Test
    void theCallIsKeptAndTheCallerGetsTheError() {
        IOException last = new IOException("down 3");

        Trial trial = trial(keeping()).call(new IOException("down 1"), new IOException("down 2"), last);

        assertThat(trial.thrown()).isSameAs(last);
        FailedCall call = only();
        assertThat(call.name()).isEqualTo("trial");
        assertThat(call.reason()).isEqualTo(StopReason.EXHAUSTED);
        assertThat(call.error()).isSameAs(last);
        assertThat(call.errorCode()).isEqualTo("java.io.IOException");
        CallState state = call.state();
        assertThat(state.callId()).isEqualTo(trial.events().get(0).callId());
        assertThat(state.attempt()).isEqualTo(3);
        assertThat(state.error()).isEqualTo(ErrorText.of(last));
        assertThat(state.past())
                .extracting(CallState.Failed::number, failed -> failed.error().message())
                .containsExactly(tuple(1, "down 1"), tuple(2, "down 2"));
        assertThat(failures(call)).containsExactly(START, START.plusSeconds(1), START.plusSeconds(2));
        assertThat(state.firstFailedAt()).isEqualTo(START);
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

        assertThat(only().error()).isNull();
        assertThat(only().state().error()).isNull();
        assertThat(only().state().attempt()).isEqualTo(3);
    }

    @Test
    void nothingIsKeptUnlessThePolicySaysSo() {
        trial(Trial.policy()).call(new IOException("down"));

        assertThat(kept).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = RetryDirective.class,
            names = {"DISCARD", "FAIL", "DEAD_LETTER"})
    void directivesDecideWhateverThePolicySays(RetryDirective directive) {
        trial(keeping()).call(new RetrySignal(directive, "said so", null));
        trial(Trial.policy()).call(new RetrySignal(directive, "said so", null));

        assertThat(kept).hasSize(directive == RetryDirective.DEAD_LETTER ? 2 : 0);
    }

    @Test
    void aCallThatOnlyItsLastErrorMakesADeadLetterKnowsWhenEachAttemptFailed() {
        RetrySignal poison = new RetrySignal(RetryDirective.DEAD_LETTER, "poison", null);

        trial(Trial.policy().maxAttempts(3)).call(new IOException("down 1"), new IOException("down 2"), poison);

        assertThat(failures(only())).containsExactly(START, START.plusSeconds(1), START.plusSeconds(2));
        assertThat(only().state().firstFailedAt()).isEqualTo(START);
    }

    @Test
    void attemptsHaveTheirTimesThoughNobodyHearsOfThem() {
        VirtualTime time = new VirtualTime();
        Retry retry = Retry.builder("unheard", keeping().build())
                .engine(time.engine().deadLetters(kept::add).build())
                .build();

        assertThatThrownBy(() -> retry.run(() -> {
                    throw new IOException("down");
                }))
                .isInstanceOf(IOException.class);

        assertThat(failures(only())).containsExactly(START, START.plusSeconds(1), START.plusSeconds(2));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAttemptFailedBeforeTheWaitThatTheShutdownEnds(boolean heard) {
        VirtualTime time = new VirtualTime();
        RetryEngineBuilder builder = time.engine().executor(Runnable::run).deadLetters(kept::add);
        RetryEngine engine = (heard ? builder.listener(new ArrayList<RetryEvent>()::add) : builder).build();
        Retry retry = Retry.builder("later", keeping().build()).engine(engine).build();
        CompletableFuture<String> waiting =
                retry.callAsync(() -> CompletableFuture.failedFuture(new IOException("down")));
        time.advance(Duration.ofMillis(300));

        engine.close();

        assertThat(waiting).failsWithin(Duration.ofSeconds(30));
        assertThat(only().reason()).isEqualTo(StopReason.SHUTDOWN);
        assertThat(failures(only())).containsExactly(START);
    }

    @Test
    void anInterruptedCallIsNotKept() {
        trial(keeping()).call(new InterruptedException());

        assertThat(Thread.interrupted()).isTrue();
        assertThat(kept).isEmpty();
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
                    .containsExactly("trial: a failed call could not be stored as a dead letter (logged once for "
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
                .engine(time.engine().deadLetters(kept::add).build())
                .build();
        CompletableFuture<String> waiting =
                retry.callAsync(() -> CompletableFuture.failedFuture(new IOException("down")));

        assertThat(time.pending()).isEqualTo(1);
        waiting.cancel(false);

        assertThat(kept).isEmpty();
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
                .deadLetters(kept::add)
                .build();
        Retry retry = Retry.builder("later", keeping().maxAttempts(1).build())
                .engine(engine)
                .build();

        CompletableFuture<String> future =
                retry.callAsync(() -> CompletableFuture.failedFuture(new IOException("down")));

        assertThat(future).isCompletedExceptionally();
        assertThat(only().error()).hasMessage("down");
    }
}
