// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.budget.RetryBudget;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who serves the caller of a call that ended in failure. */
class RetryRecoveryTests {

    private static final IOException DOWN = new IOException("down");

    private final List<Throwable> errors = new ArrayList<>();

    @AfterEach
    void clearInterruptFlag() {
        Thread.interrupted();
    }

    /** A trial whose recovery returns the reason, having noted the failure. */
    private Trial trial(RetryPolicyBuilder policy) {
        return trial(policy, engine -> engine);
    }

    private Trial trial(RetryPolicyBuilder policy, UnaryOperator<RetryEngineBuilder> engine) {
        return new Trial(
                policy,
                engine,
                retry -> retry.uncheckedRecovery((subject, thrown, context) -> {
                    errors.add(thrown);
                    return "recovered for " + subject + ": " + context.stopReason();
                }));
    }

    @Test
    void aRecoveryServesTheCallerInPlaceOfTheError() {
        Trial trial = trial(Trial.policy().maxAttempts(2)).call(DOWN);

        assertThat(trial.thrown()).isNull();
        assertThat(trial.value()).isEqualTo("recovered for subject: EXHAUSTED");
        RetryFailed last = (RetryFailed) trial.events().get(1);
        assertThat(last.recovered()).isTrue();
        assertThat(last.error()).isSameAs(DOWN);
        assertThat(last.reason()).as("the reason is kept").isEqualTo(StopReason.EXHAUSTED);
        assertThat(last.toString()).startsWith("trial: recovered after attempt 2 of 2 (EXHAUSTED): ");
    }

    @Test
    void aRecoveryOfOneCallComesBeforeThatOfItsRetry() throws Exception {
        Trial trial = trial(Trial.policy().maxAttempts(2));

        int attempts = trial.retry.callOrRecover(
                () -> {
                    throw DOWN;
                },
                (error, context) -> context.attempt());

        assertThat(attempts).isEqualTo(2);
        assertThat(errors).isEmpty();
        assertThat(trial.events())
                .last()
                .isInstanceOfSatisfying(
                        RetryFailed.class,
                        failed -> assertThat(failed.recovered()).isTrue());
    }

    @Test
    void aRecoveryOfOneCallIsForRetryableFailuresOnly() throws Exception {
        Retry retry = new Trial(Trial.policy().maxAttempts(2)).retry;
        IllegalStateException bug = new IllegalStateException("a bug");

        assertThat(retry.<String, RuntimeException>callOrRecover(() -> "up", (error, context) -> "recovered"))
                .isEqualTo("up");
        assertThatThrownBy(() -> retry.<String, RuntimeException>callOrRecover(
                        () -> {
                            throw bug;
                        },
                        (error, context) -> "recovered"))
                .isSameAs(bug);
        assertThatThrownBy(() -> retry.<String, IOException>callOrRecover(
                        () -> {
                            throw DOWN;
                        },
                        (error, context) -> {
                            throw bug;
                        }))
                .isSameAs(bug)
                .hasSuppressedException(DOWN);
    }

    @Test
    void aRecoveryServesErrorsOfRecoverOnThatAreNotRetried() {
        assertThat(trial(Trial.policy().recoverOn(ArithmeticException.class))
                        .call(new IllegalStateException(new ArithmeticException()))
                        .value())
                .as("a cause")
                .isEqualTo("recovered for subject: NOT_RETRYABLE");
        assertThat(trial(Trial.policy().excludes(IOException.class).recoverOn(IOException.class))
                        .call(DOWN)
                        .value())
                .as("excluded")
                .isEqualTo("recovered for subject: NOT_RETRYABLE");
        Error error = new AssertionError();
        assertThat(trial(Trial.policy().recoverOn(Throwable.class)).call(error).thrown())
                .as("Throwable does not list Errors")
                .isSameAs(error);
        assertThat(trial(Trial.policy().recoverOn(AssertionError.class))
                        .call(error)
                        .value())
                .isEqualTo("recovered for subject: NOT_RETRYABLE");
        Error fatal = new OutOfMemoryError();
        assertThat(trial(Trial.policy().recoverOn(Error.class)).call(fatal).thrown())
                .isSameAs(fatal);
    }

    @Test
    void aRecoveryServesFailuresThatWereThePolicysToRetry() {
        assertThat(trial(Trial.policy().unless((error, call) -> true))
                        .call(DOWN)
                        .value())
                .isEqualTo("recovered for subject: REJECTED");
        assertThat(trial(Trial.policy())
                        .call(RetrySignal.retryAfter("busy", Duration.ofDays(1)))
                        .value())
                .isEqualTo("recovered for subject: DELAY_TOO_LONG");
        assertThat(trial(Trial.policy().timeout(Duration.ofMillis(1)))
                        .call(DOWN)
                        .value())
                .isEqualTo("recovered for subject: TIMEOUT");
        RetryBudget empty = RetryBudget.builder().ratio(0).minPerSecond(0).build();
        assertThat(trial(Trial.policy().budget(empty)).call(DOWN).value()).isEqualTo("recovered for subject: BUDGET");
        Trial closed = trial(Trial.policy());
        closed.engine.close();
        assertThat(closed.call(DOWN).value()).isEqualTo("recovered for subject: SHUTDOWN");
        assertThat(trial(Trial.policy()).call(RetrySignal.deadLetter("give up")).value())
                .isEqualTo("recovered for subject: DEAD_LETTER");
    }

    @Test
    void aRecoveryDoesNotServeTheOthers() {
        IllegalStateException unlisted = new IllegalStateException();
        RetrySignal discarded = RetrySignal.discard("stop");
        RetrySignal failed = RetrySignal.fail("stop");
        InterruptedException interrupted = new InterruptedException();

        assertThat(trial(Trial.policy()).call(unlisted).thrown()).isSameAs(unlisted);
        assertThat(trial(Trial.policy().retryable(false)).call(DOWN).thrown()).isSameAs(DOWN);
        assertThat(trial(Trial.policy()).call(discarded).thrown()).isSameAs(discarded);
        assertThat(trial(Trial.policy()).call(failed).thrown()).isSameAs(failed);
        assertThat(trial(Trial.policy()).call(interrupted).thrown()).isSameAs(interrupted);
        assertThat(errors).isEmpty();
    }

    @Test
    void aRecoveryIsNotAskedWhenAWaitWasInterrupted() {
        Trial trial = trial(
                Trial.policy(),
                engine -> engine.time(Times.sleeping(delay -> {
                    throw new InterruptedException();
                })));

        assertThat(trial.call(DOWN).thrown()).isSameAs(DOWN);
        assertThat(errors).isEmpty();
    }

    @Test
    void aRecoveryIsNotAskedWhenTheCallSucceeds() {
        assertThat(trial(Trial.policy()).call(DOWN, "up").value()).isEqualTo("up");
        assertThat(errors).isEmpty();
    }

    @Test
    void aRecoveryMayReturnNull() {
        Trial trial = new Trial(
                Trial.policy().maxAttempts(1),
                engine -> engine,
                retry -> retry.uncheckedRecovery((subject, thrown, context) -> null));

        assertThat(trial.call(DOWN).thrown()).isNull();
        assertThat(trial.value()).isNull();
    }

    @Test
    void aRecoveryIsToldHowTheCallEnded() {
        IOException last = new IOException("last");
        List<Throwable> latest = new ArrayList<>();
        RetryPolicyBuilder policy = Trial.policy().maxAttempts(3).onlyIf((error, call) -> call.stopReason() == null);
        Trial trial = new Trial(
                policy,
                engine -> engine,
                retry -> retry.uncheckedRecovery((subject, thrown, context) -> {
                    latest.addAll(context.errors());
                    return context.name() + ": " + context.stopReason() + " after attempt " + context.attempt() + ", "
                            + (thrown == context.lastError());
                }));

        trial.call(DOWN, new IOException("second"), last);

        assertThat(trial.value()).isEqualTo("trial: EXHAUSTED after attempt 3, true");
        assertThat(latest).extracting(Throwable::getMessage).containsExactly("down", "second", "last");
    }

    @Test
    void theErrorIsHandedOverAsItWasThrown() {
        Exception wrapper = new java.util.concurrent.CompletionException(DOWN);

        trial(Trial.policy().maxAttempts(1)).call(wrapper);

        assertThat(errors).containsExactly(wrapper);
    }

    @Test
    void anErrorThatTheRecoveryDoesNotFitPassesThrough() {
        IOException error = new IOException("down");
        Trial trial = new Trial(
                Trial.policy().maxAttempts(1),
                engine -> engine,
                retry -> retry.uncheckedRecovery((subject, thrown, context) -> {
                    throw thrown;
                }));

        trial.call(error);

        assertThat(trial.thrown()).isSameAs(error);
        assertThat(error.getSuppressed()).hasOnlyElementsOfType(RetryHistory.class);
        assertThat(((RetryFailed) trial.events().get(0)).recovered()).isFalse();
    }

    @Test
    void aRecoverysOwnErrorGoesOutWithTheOriginalSuppressed() {
        IOException error = new IOException("down");
        IllegalStateException own = new IllegalStateException("no fallback");
        int[] asked = new int[1];
        Trial trial = new Trial(
                Trial.policy().retryOn(IllegalStateException.class).maxAttempts(2),
                engine -> engine,
                retry -> retry.uncheckedRecovery((subject, thrown, context) -> {
                    asked[0]++;
                    throw own;
                }));

        trial.call(error);

        assertThat(trial.thrown()).isSameAs(own);
        assertThat(own.getSuppressed()).containsExactly(error);
        assertThat(asked[0]).as("a recovery is not retried").isEqualTo(1);
        RetryFailed failed = (RetryFailed) trial.events().get(1);
        assertThat(failed.recovered()).isFalse();
        assertThat(failed.error()).as("the event tells of the attempt").isSameAs(error);
    }

    @Test
    void aResultTellsOfTheRecovery() {
        Trial trial = trial(Trial.policy().maxAttempts(2));

        RetryResult<Object> result = trial.retry.capture(() -> {
            throw DOWN;
        });

        assertThat(result.succeeded()).isTrue();
        assertThat(result.value()).asString().startsWith("recovered");
        assertThat(result.errors()).containsExactly(DOWN, DOWN);
        assertThat(result.stopReason()).isEqualTo(StopReason.EXHAUSTED);
    }

    @Test
    void theContextIsThatOfTheCallDuringItsRecovery() {
        Trial trial = new Trial(
                Trial.policy().maxAttempts(1),
                engine -> engine,
                retry -> retry.uncheckedRecovery(
                        (subject, thrown, context) -> RetryContext.current().callId() + context.callId()));

        String ids = (String) trial.call(DOWN).value();

        assertThat(ids.substring(0, ids.length() / 2)).isEqualTo(ids.substring(ids.length() / 2));
        assertThat(RetryContext.find()).isEmpty();
    }
}
