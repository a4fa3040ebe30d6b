// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Returned values that are to be retried: failures without an error. */
class RetryIfTests {

    private static final IOException DOWN = new IOException("down");

    /** Nothing is said of errors: values alone are retried. */
    private static RetryPolicyBuilder policy() {
        return RetryPolicy.builder()
                .backoff("fixed")
                .jitter(dev.retryon.backoff.Jitter.none())
                .retryIf((value, call) -> "pending".equals(value));
    }

    @AfterEach
    void clearInterruptFlag() {
        Thread.interrupted();
    }

    @Test
    void aValueIsRetriedUntilItIsAccepted() {
        Trial trial = new Trial(policy());

        trial.call("pending", "pending", "done");

        assertThat(trial.value()).isEqualTo("done");
        assertThat(trial.waits()).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(1));
        assertThat(trial.events()).extracting(RetryEvent::error).containsOnlyNulls();
        assertThat(trial.events().get(2)).isInstanceOf(RetrySucceeded.class);
    }

    @Test
    void theLastValueIsReturnedWhenTheCallEnds() {
        Object first = "pending";
        Trial trial = new Trial(policy().retryIf((value, call) -> value != null));

        trial.call(first, "second", "third");

        assertThat(trial.thrown()).isNull();
        assertThat(trial.value()).isEqualTo("third");
        assertThat(trial.attempts()).isEqualTo(3);
        assertThat(trial.reason()).isEqualTo(StopReason.EXHAUSTED);
        assertThat(trial.events().get(2)).isInstanceOfSatisfying(RetryFailed.class, failed -> {
            assertThat(failed.error()).isNull();
            assertThat(failed.recovered()).isFalse();
        });
    }

    @Test
    void nullCanBeRetriedToo() {
        Trial trial = new Trial(policy().retryIf((value, call) -> value == null));

        assertThat(trial.call(null, "found").value()).isEqualTo("found");
        assertThat(trial.call(null, null).value()).isNull();
        assertThat(trial.attempts()).isEqualTo(3);
    }

    @Test
    void errorsAreNotRetriedForTheSakeOfValues() {
        Trial trial = new Trial(policy());

        trial.call(DOWN, "done");

        assertThat(trial.thrown()).isSameAs(DOWN);
        assertThat(trial.reason()).isEqualTo(StopReason.NOT_RETRYABLE);
    }

    @Test
    void errorsAndValuesMayTakeTurns() {
        Trial trial = new Trial(policy().retryOn(IOException.class).maxAttempts(4));

        assertThat(trial.call("pending", DOWN, "pending", "done").value()).isEqualTo("done");
        assertThat(trial.events()).extracting(RetryEvent::error).containsExactly(null, DOWN, null, null);
        assertThat(trial.call("pending", "pending", "pending", DOWN).thrown()).isSameAs(DOWN);
        assertThat(trial.call(DOWN, DOWN, DOWN, "pending").value()).isEqualTo("pending");
        assertThat(trial.thrown()).isNull();
    }

    @Test
    void rulesFiveToElevenHoldForValues() {
        assertThat(new Trial(policy().retryable(false)).call("pending").reason())
                .isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(new Trial(policy().maxAttempts(1)).call("pending").reason()).isEqualTo(StopReason.EXHAUSTED);
        assertThat(new Trial(
                                policy(),
                                engine -> engine.decider(new RetryDecider() {
                                    @Override
                                    public boolean shouldRetry(RetryContext context, Throwable error) {
                                        return error != null;
                                    }
                                }))
                        .call("pending")
                        .reason())
                .isEqualTo(StopReason.REJECTED);
        assertThat(new Trial(policy().onlyIf((error, call) -> error != null))
                        .call("pending")
                        .reason())
                .isEqualTo(StopReason.REJECTED);
        assertThat(new Trial(policy().unless((error, call) -> error == null))
                        .call("pending")
                        .reason())
                .isEqualTo(StopReason.REJECTED);
        assertThat(new Trial(policy().timeout(Duration.ofMillis(999)))
                        .call("pending")
                        .reason())
                .isEqualTo(StopReason.TIMEOUT);
        Trial closed = new Trial(policy());
        closed.engine.close();
        assertThat(closed.call("pending").reason()).isEqualTo(StopReason.SHUTDOWN);
        assertThat(closed.value()).isEqualTo("pending");
    }

    @Test
    void anInterruptEndsTheRetriesOfAValueToo() {
        Trial trial = new Trial(policy().delay(Duration.ZERO));
        Thread.currentThread().interrupt();

        trial.call("pending", "done");

        assertThat(trial.value()).isEqualTo("pending");
        assertThat(trial.attempts()).isEqualTo(1);
        assertThat(trial.reason()).isEqualTo(StopReason.INTERRUPTED);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void recoveryDoesNotApplyToValues() {
        Trial trial = new Trial(
                policy(),
                engine -> engine,
                retry -> retry.uncheckedRecovery((subject, thrown, context) -> "recovered"));

        assertThat(trial.call("pending").value()).isEqualTo("pending");
        assertThat(trial.reason()).isEqualTo(StopReason.EXHAUSTED);
    }

    @Test
    void thePredicateIsGivenTheCall() {
        List<String> seen = new ArrayList<>();
        Trial trial = new Trial(policy().retryIf((value, call) -> {
            seen.add(call.name() + " " + call.attempt() + " " + call.subject().target() + " " + value);
            return call.attempt() < 2;
        }));

        trial.call("one", "two");

        assertThat(seen).containsExactly("trial 1 subject one", "trial 2 subject two");
        assertThat(trial.value()).isEqualTo("two");
    }

    @Test
    void aPredicateThatThrowsIsLoggedAndCountsAsNo() {
        Trial trial = new Trial(policy().retryIf((value, call) -> {
            throw new IllegalStateException("no idea");
        }));
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            assertThat(trial.call("pending", "done").value()).isEqualTo("pending");
            assertThat(trial.attempts()).isEqualTo(1);
            assertThat(trial.events()).isEmpty();
            assertThat(warnings.messages())
                    .containsExactly(
                            "trial: the gate 'a lambda in dev.retryon.RetryIfTests' failed, so the returned value is"
                                    + " accepted (logged once for java.lang.IllegalStateException)");
            assertThat(warnings.causes())
                    .singleElement()
                    .extracting(Throwable::getMessage)
                    .isEqualTo("no idea");
        }
    }

    @Test
    void aResultTellsOfValuesThatWereRetried() {
        VirtualTime time = new VirtualTime();
        Retry retry = Retry.builder("poll", policy().build())
                .engine(time.engine().build())
                .build();

        RetryResult<String> result = retry.capture(() -> "pending");

        assertThat(result.succeeded()).isTrue();
        assertThat(result.value()).isEqualTo("pending");
        assertThat(result.attempts()).isEqualTo(3);
        assertThat(result.errors()).isEmpty();
        assertThat(result.delays()).hasSize(2);
        assertThat(result.stopReason()).isEqualTo(StopReason.EXHAUSTED);
    }
}
