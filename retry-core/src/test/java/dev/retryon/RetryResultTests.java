// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What came of a call that was executed rather than called. */
class RetryResultTests {

    private static final IOException DOWN = new IOException("down");

    private final VirtualTime time = new VirtualTime();

    private RetryResult<Object> execute(Object... outcomes) {
        return execute(Trial.policy().maxAttempts(3), outcomes);
    }

    private RetryResult<Object> execute(RetryPolicyBuilder policy, Object... outcomes) {
        Retry retry = Retry.builder("catalogue", policy.build())
                .engine(time.engine().build())
                .build();
        return retry.capture("subject", (subject, attempt) -> {
            Object outcome = outcomes[Math.min(attempt, outcomes.length) - 1];
            if (outcome instanceof Throwable error) {
                throw error;
            }
            return outcome;
        });
    }

    @Test
    void tellsOfACallThatSucceededAtOnce() throws Exception {
        RetryResult<Object> result = execute("up");

        assertThat(result.succeeded()).isTrue();
        assertThat(result.value()).isEqualTo("up");
        assertThat(result.getOrThrow()).isEqualTo("up");
        assertThat(result.error()).isNull();
        assertThat(result.attempts()).isEqualTo(1);
        assertThat(result.retries()).isZero();
        assertThat(result.retried()).isFalse();
        assertThat(result.delays()).isEmpty();
        assertThat(result.errors()).isEmpty();
        assertThat(result.elapsed()).isZero();
        assertThat(result.stopReason()).isNull();
        assertThat(result).hasToString("success after 1 attempt");
    }

    @Test
    void tellsOfACallThatSucceededLater() {
        RetryResult<Object> result = execute(DOWN, new CompletionException(DOWN), "up");

        assertThat(result.succeeded()).isTrue();
        assertThat(result.value()).isEqualTo("up");
        assertThat(result.attempts()).isEqualTo(3);
        assertThat(result.retries()).isEqualTo(2);
        assertThat(result.retried()).isTrue();
        assertThat(result.delays()).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(1));
        assertThat(result.errors()).as("unwrapped").containsExactly(DOWN, DOWN);
        // 2 = 1 + 1
        assertThat(result.elapsed()).isEqualTo(Duration.ofSeconds(2));
        assertThat(result.stopReason()).isNull();
        assertThat(result).hasToString("success after 3 attempts");
    }

    @Test
    void capturesTheExceptionOfACallThatFailed() {
        CompletionException last = new CompletionException(DOWN);

        RetryResult<Object> result = execute(DOWN, DOWN, last);

        assertThat(result.succeeded()).isFalse();
        assertThat(result.value()).isNull();
        assertThat(result.error()).as("just as thrown").isSameAs(last);
        assertThat(catchThrowable(result::getOrThrow)).isSameAs(last);
        assertThat(result.attempts()).isEqualTo(3);
        assertThat(result.errors()).containsExactly(DOWN, DOWN, DOWN);
        assertThat(result.stopReason()).isEqualTo(StopReason.EXHAUSTED);
        assertThat(result)
                .hasToString("failure after 3 attempts (EXHAUSTED): java.util.concurrent.CompletionException");
    }

    @Test
    void capturesUncheckedExceptionsToo() {
        IllegalStateException error = new IllegalStateException();

        RetryResult<Object> result = execute(error);

        assertThat(result.error()).isSameAs(error);
        assertThat(result.stopReason()).isEqualTo(StopReason.NOT_RETRYABLE);
    }

    @Test
    void capturesAnInterruptionAndLeavesTheFlag() {
        InterruptedException error = new InterruptedException();

        assertThat(execute(error).error()).isSameAs(error);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void errorsAreThrown() {
        AssertionError error = new AssertionError("broken");

        Trial trial = new Trial(Trial.policy().retryOn(AssertionError.class).maxAttempts(2));

        assertThat(catchThrowable(() -> trial.retry.capture(() -> {
                    throw error;
                })))
                .isSameAs(error);
        assertThat(execute(error).error()).as("for frameworks").isSameAs(error);
    }

    @Test
    void tellsNothingThatCouldBeChanged() {
        RetryResult<Object> result = execute(DOWN, "up");

        assertThat(result.delays()).isUnmodifiable();
        assertThat(result.errors()).isUnmodifiable();
    }

    @Test
    void aResultOfNoAttemptCanBeGivenAnOutcome() throws Exception {
        RetryResult<Object> none = RetryResult.none();
        IOException error = new IOException("outside");

        assertThat(none.attempts()).isZero();
        assertThat(none.retries()).isZero();
        assertThat(none.retried()).isFalse();
        assertThat(none.withValue(42).getOrThrow()).isEqualTo(42);
        assertThat(none.withError(error).succeeded()).isFalse();
        assertThat(catchThrowable(() -> none.withError(error).getOrThrow())).isSameAs(error);
    }

    @Test
    void anotherOutcomeKeepsTheAttempts() {
        RetryResult<Object> result = execute(DOWN, "up");

        RetryResult<Integer> other = result.withValue(42);
        RetryResult<Integer> failed = other.withError(DOWN);

        assertThat(other.value()).isEqualTo(42);
        assertThat(failed.value()).isNull();
        assertThat(failed.error()).isSameAs(DOWN);
        for (RetryResult<?> copy : new RetryResult<?>[] {other, failed}) {
            assertThat(copy.attempts()).isEqualTo(2);
            assertThat(copy.delays()).isEqualTo(result.delays());
            assertThat(copy.errors()).isEqualTo(result.errors());
            assertThat(copy.elapsed()).isEqualTo(result.elapsed());
        }
    }

    @Test
    void everyKindOfErrorIsThrownAgain() {
        AssertionError serious = new AssertionError();
        Throwable neither = new Throwable("neither an exception nor an error");

        assertThat(catchThrowable(() -> RetryResult.none().withError(serious).getOrThrow()))
                .isSameAs(serious);
        assertThat(catchThrowable(() -> RetryResult.none().withError(neither).getOrThrow()))
                .hasRootCause(neither);
    }
}
