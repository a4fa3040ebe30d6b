// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Which failure is retried: rules 1 to 5, which look at the error and at the attempts, and their order. */
@SuppressWarnings("serial")
class DecisionTests {

    private static final IOException DOWN = new IOException("down");

    @AfterEach
    void clearInterruptFlag() {
        Thread.interrupted();
    }

    // 1. Interruption and a broken virtual machine.

    @Test
    void anInterruptedAttemptIsNeverRetried() {
        Trial trial = new Trial(Trial.policy().retryOn(Exception.class));
        InterruptedException error = new InterruptedException();

        trial.call(error, "up");

        assertThat(trial.thrown()).isSameAs(error);
        assertThat(trial.attempts()).isEqualTo(1);
        assertThat(trial.reason()).isEqualTo(StopReason.INTERRUPTED);
        assertThat(Thread.interrupted()).as("the flag is restored").isTrue();
    }

    @Test
    void aThreadWithItsInterruptFlagSetIsNotHeldUpByRetries() {
        Trial trial = new Trial(Trial.policy().delay(Duration.ZERO));
        Thread.currentThread().interrupt();

        trial.call(DOWN, "up");

        assertThat(trial.thrown()).isSameAs(DOWN);
        assertThat(trial.reason()).isEqualTo(StopReason.INTERRUPTED);
        assertThat(trial.events()).as("no retry is announced").hasSize(1);
        assertThat(Thread.interrupted()).as("the flag stays").isTrue();
    }

    @Test
    void aThreadWithItsInterruptFlagSetStillMakesItsFirstAttempt() {
        Thread.currentThread().interrupt();

        assertThat(new Trial(Trial.policy()).call("up").value()).isEqualTo("up");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void anInterruptedExceptionThatIsOnlyACauseIsOrdinary() {
        Trial trial = new Trial(Trial.policy());

        trial.call(new IOException(new InterruptedException()), "up");

        assertThat(trial.value()).isEqualTo("up");
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aBrokenVirtualMachineIsNeverRetried() {
        for (Error error : new Error[] {new OutOfMemoryError("test"), new StackOverflowError(), new InternalError()}) {
            Trial trial = new Trial(Trial.policy().retryOn(Throwable.class, Error.class, error.getClass()));

            trial.call(error, "up");

            assertThat(trial.thrown()).isSameAs(error);
            assertThat(trial.reason()).isEqualTo(StopReason.NOT_RETRYABLE);
        }
    }

    @Test
    void interruptionComesBeforeABrokenVirtualMachine() {
        Thread.currentThread().interrupt();

        assertThat(new Trial(Trial.policy()).call(new StackOverflowError()).reason())
                .isEqualTo(StopReason.INTERRUPTED);
    }

    @Test
    void interruptionComesBeforeDirectives() {
        class Discarded extends InterruptedException implements RetryHint {
            @Override
            public RetryDirective directive() {
                return RetryDirective.DISCARD;
            }
        }
        Trial trial = new Trial(Trial.policy());

        assertThat(trial.call(new Discarded()).reason()).isEqualTo(StopReason.INTERRUPTED);
        assertThat(trial.call(RetrySignal.fail("flag is set")).reason()).isEqualTo(StopReason.INTERRUPTED);
    }

    @Test
    void aBrokenVirtualMachineComesBeforeDirectives() {
        class Discarded extends VirtualMachineError implements RetryHint {
            @Override
            public RetryDirective directive() {
                return RetryDirective.DISCARD;
            }
        }

        assertThat(new Trial(Trial.policy()).call(new Discarded()).reason()).isEqualTo(StopReason.NOT_RETRYABLE);
    }

    @Test
    void otherErrorsAreRetriedOnlyIfAnErrorTypeIsListed() {
        AssertionError error = new AssertionError("flaky");

        assertThat(new Trial(Trial.policy().retryOn(Throwable.class))
                        .call(error, "up")
                        .reason())
                .as("Throwable does not list errors")
                .isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(new Trial(Trial.policy().retryOn(LinkageError.class))
                        .call(error, "up")
                        .reason())
                .isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(new Trial(Trial.policy().retryOn(AssertionError.class))
                        .call(error, "up")
                        .value())
                .isEqualTo("up");
        assertThat(new Trial(Trial.policy().retryOn(Error.class))
                        .call(error, "up")
                        .value())
                .isEqualTo("up");
    }

    @Test
    void anErrorIsNotListedByTheTypeOfItsCause() {
        assertThat(new Trial(Trial.policy())
                        .call(new AssertionError("flaky", DOWN), "up")
                        .reason())
                .isEqualTo(StopReason.NOT_RETRYABLE);
    }

    @Test
    void throwableListsExceptionsOfAnyKind() {
        Trial trial = new Trial(Trial.policy().retryOn(Throwable.class));

        assertThat(trial.call(new Exception("checked"), "up").value()).isEqualTo("up");
        assertThat(trial.call(new IllegalStateException(), "up").value()).isEqualTo("up");
        assertThat(trial.call(new Throwable("neither"), "up").value()).isEqualTo("up");
    }

    // 2. What the error itself asks for.

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "RETRY")
    void aDirectiveStopsAtOnce(RetryDirective directive) {
        Trial trial = new Trial(Trial.policy().retryOn(RetrySignal.class));
        RetrySignal signal = new RetrySignal(directive, "stop", null);

        trial.call(signal, "up");

        assertThat(trial.thrown()).isSameAs(signal);
        assertThat(trial.attempts()).isEqualTo(1);
        assertThat(trial.reason()).isEqualTo(StopReason.valueOf(directive.name()));
    }

    @Test
    void directivesComeBeforeEverythingThatThePolicySays() {
        RetrySignal signal = RetrySignal.discard("stop");

        assertThat(new Trial(Trial.policy().excludes(RetrySignal.class))
                        .call(signal)
                        .reason())
                .isEqualTo(StopReason.DISCARD);
        assertThat(new Trial(RetryPolicy.builder()).call(signal).reason())
                .as("not listed")
                .isEqualTo(StopReason.DISCARD);
        assertThat(new Trial(Trial.policy().maxAttempts(1)).call(signal).reason())
                .isEqualTo(StopReason.DISCARD);
        assertThat(new Trial(Trial.policy().retryable(false)).call(signal).reason())
                .isEqualTo(StopReason.DISCARD);
    }

    @Test
    void theDirectiveRetryCountsAsListed() {
        assertThat(new Trial(RetryPolicy.builder())
                        .call(RetrySignal.retry("again"), "up")
                        .value())
                .isEqualTo("up");
    }

    @Test
    void theDirectiveRetryLeavesAllOtherRulesInForce() {
        RetrySignal signal = RetrySignal.retry("again");
        RetrySignal coded = new RetrySignal(RetryDirective.RETRY, "again", null, null, "auth.expired");

        assertThat(new Trial(Trial.policy().excludes(RetrySignal.class))
                        .call(signal, "up")
                        .reason())
                .isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(new Trial(Trial.policy().nonRetryableErrors("auth.*"))
                        .call(coded, "up")
                        .reason())
                .isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(new Trial(Trial.policy().retryable(false)).call(signal, "up").reason())
                .isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(new Trial(Trial.policy().maxAttempts(2)).call(signal).reason())
                .isEqualTo(StopReason.EXHAUSTED);
        assertThat(new Trial(Trial.policy().unless((error, call) -> true))
                        .call(signal, "up")
                        .reason())
                .isEqualTo(StopReason.REJECTED);
    }

    // 3. What is never retried.

    @DoNotRetry
    static class Hopeless extends IOException {}

    static class StillHopeless extends Hopeless {}

    @Test
    void markedErrorsAndTheirSubclassesAreNotRetried() {
        Trial trial = new Trial(Trial.policy());

        assertThat(trial.call(new Hopeless(), "up").reason()).isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(trial.call(new StillHopeless(), "up").reason()).isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(trial.attempts()).isEqualTo(1);
    }

    @Test
    void excludesBeatExceptions() {
        Trial trial = new Trial(Trial.policy().excludes(FileNotFoundException.class));

        assertThat(trial.call(new FileNotFoundException(), "up").reason()).isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(trial.call(DOWN, "up").value()).isEqualTo("up");
        Trial same = new Trial(Trial.policy().excludes(IOException.class));
        assertThat(same.call(DOWN, "up").reason()).isEqualTo(StopReason.NOT_RETRYABLE);
    }

    @Test
    void namedCodesAreNotRetried() {
        Trial trial = new Trial(Trial.policy().nonRetryableErrors("java.io.IOException"));

        assertThat(trial.call(DOWN, "up").reason()).isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(trial.call(new FileNotFoundException(), "up").value()).isEqualTo("up");
    }

    // 4. What is not said to be retried.

    @Test
    void errorsThatAreNotListedAreNotRetried() {
        Trial trial = new Trial(Trial.policy().retryOn(TimeoutException.class));

        assertThat(trial.call(new CancellationException(), "up").reason()).isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(trial.call(new TimeoutException(), "up").value()).isEqualTo("up");
        assertThat(trial.call(new FileNotFoundException(), "up").value())
                .as("subclasses are listed with their class")
                .isEqualTo("up");
        assertThat(trial.call(new Exception(), "up").reason())
                .as("superclasses are not")
                .isEqualTo(StopReason.NOT_RETRYABLE);
    }

    @Test
    void withoutAnyTypeNothingIsRetried() {
        assertThat(new Trial(RetryPolicy.builder()).call(DOWN, "up").reason()).isEqualTo(StopReason.NOT_RETRYABLE);
    }

    @Test
    void whatIsNotRetryableIsNeverCalledExhausted() {
        Trial lastAttempt = new Trial(Trial.policy().maxAttempts(1).excludes(FileNotFoundException.class));

        assertThat(lastAttempt.call(new IllegalStateException()).reason()).isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(lastAttempt.call(new FileNotFoundException()).reason()).isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(lastAttempt.call(DOWN).reason()).isEqualTo(StopReason.EXHAUSTED);
    }

    // 5. No retries, or none left.

    @Test
    void aPolicyThatIsNotRetryableRetriesNothing() {
        Trial trial = new Trial(Trial.policy().retryable(false));

        assertThat(trial.call(DOWN, "up").reason()).isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(trial.attempts()).isEqualTo(1);
        assertThat(new Trial(Trial.policy().retryable(false).maxAttempts(1))
                        .call(DOWN)
                        .reason())
                .as("not retryable is asked before exhausted")
                .isEqualTo(StopReason.NOT_RETRYABLE);
    }

    @Test
    void attemptsAreCountedWithTheFirst() {
        Trial trial = new Trial(Trial.policy().maxAttempts(3));

        assertThat(trial.call(DOWN).attempts()).isEqualTo(3);
        assertThat(trial.reason()).isEqualTo(StopReason.EXHAUSTED);
        // 2 = 3 − 1
        assertThat(trial.waits()).hasSize(2);
    }

    @Test
    void nobodyIsAskedWhenNoAttemptIsLeft() {
        Trial trial = new Trial(
                Trial.policy().maxAttempts(1).onlyIf((error, call) -> {
                    throw new AssertionError("gate");
                }),
                engine -> engine.decider(new RetryDecider() {
                    @Override
                    public boolean shouldRetry(RetryContext context, Throwable error) {
                        throw new AssertionError("decider");
                    }
                }));

        trial.call(new IOException("down"));

        assertThat(trial.reason()).isEqualTo(StopReason.EXHAUSTED);
        assertThat(trial.thrown().getSuppressed()).hasOnlyElementsOfType(RetryHistory.class);
    }

    @Test
    void aTransactionThatIsMarkedForRollbackEndsTheCall() {
        List<Integer> asked = new ArrayList<>();
        Trial trial = new Trial(
                Trial.policy().maxAttempts(5),
                engine -> engine.rollbackOnly(call -> asked.add(call.attempt()) && call.attempt() == 2));

        trial.call(DOWN, DOWN, "up");

        assertThat(trial.reason()).isEqualTo(StopReason.ROLLBACK_ONLY);
        assertThat(trial.thrown()).isSameAs(DOWN);
        assertThat(asked).containsExactly(1, 2);
    }

    @Test
    void aCheckOfTheTransactionThatFailsIsReportedAndTheCallContinues() {
        List<String> reported = new ArrayList<>();
        Trial trial = new Trial(
                Trial.policy(),
                engine -> engine.rollbackOnly(call -> {
                            throw new IllegalStateException("no transaction manager");
                        })
                        .extensionErrorListener((source, name, sentence, cause) -> reported.add(sentence)));

        trial.call(DOWN, "up");

        assertThat(trial.attempts()).isEqualTo(2);
        assertThat(reported).singleElement().asString().contains("transaction", "the call continues");
    }

    @Test
    void aCallWhoseTransactionIsMarkedForRollbackIsRecovered() {
        Retry retry = Retry.builder("orders", Trial.policy().build())
                .engine(RetryEngine.builder().rollbackOnly(call -> true).build())
                .uncheckedRecovery(
                        (order, thrown, context) -> context.stopReason().name())
                .build();

        RetryResult<String> result = retry.capture(() -> {
            throw DOWN;
        });

        assertThat(result.value()).isEqualTo("ROLLBACK_ONLY");
    }
}
