// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Waits that errors want without being able to say so themselves. */
class RequestedDelayTests {

    private static final IOException BUSY = new IOException("busy");

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static Trial trial(RetryHintResolver... resolvers) {
        return new Trial(Trial.policy().maxDelay(Duration.ofSeconds(10)), engine -> {
            for (RetryHintResolver resolver : resolvers) {
                engine.hintResolver(resolver);
            }
            return engine;
        });
    }

    private static RetryHintResolver saying(Throwable error, @Nullable Duration wait) {
        return (asked, call) -> asked == error && wait != null ? RetryHint.ofRetryAfter(wait) : null;
    }

    @Test
    void theFirstThatKnowsIsTakenExactly() {
        Trial trial = trial(
                (error, call) -> null, saying(BUSY, Duration.ofMillis(2345)), saying(BUSY, Duration.ofSeconds(9)));

        assertThat(trial.call(BUSY, "up").waits()).containsExactly(Duration.ofMillis(2345));
    }

    @Test
    void theErrorsOwnWordComesFirst() {
        Trial trial = trial((error, call) -> RetryHint.ofRetryAfter(Duration.ofSeconds(9)));

        assertThat(trial.call(RetrySignal.retryAfter("busy", Duration.ofSeconds(3)), "up")
                        .waits())
                .containsExactly(Duration.ofSeconds(3));
    }

    @Test
    void theNearestCauseOfWhichAnythingIsKnownIsTaken() {
        IOException outer = new IOException("outer", new IOException("middle", BUSY));
        List<Throwable> asked = new ArrayList<>();
        Trial trial = trial((error, call) -> {
            asked.add(error);
            return error == BUSY ? RetryHint.ofRetryAfter(Duration.ofSeconds(4)) : null;
        });

        assertThat(trial.call(outer, "up").waits()).containsExactly(Duration.ofSeconds(4));
        assertThat(asked).containsExactly(outer, outer.getCause(), BUSY);
    }

    @Test
    void aCauseBehindAnErrorOfWhichSomethingIsKnownIsNotAsked() {
        IOException outer = new IOException("outer", BUSY);
        Trial trial = trial(saying(BUSY, Duration.ofSeconds(4)), saying(outer, Duration.ofSeconds(5)));

        assertThat(trial.call(outer, "up").waits()).containsExactly(Duration.ofSeconds(5));
    }

    @Test
    void oneThatThrowsOrAnswersNegativelyIsSilent() {
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            Trial trial = trial(
                    (error, call) -> {
                        throw new IllegalStateException("broken");
                    },
                    saying(BUSY, SECOND.negated()),
                    saying(BUSY, Duration.ofSeconds(6)));

            assertThat(trial.call(BUSY, "up").waits()).containsExactly(Duration.ofSeconds(6));
            assertThat(trial.value()).isEqualTo("up");
        }
        assertThat(trial(saying(BUSY, SECOND.negated())).call(BUSY, "up").waits())
                .as("the policy's delay")
                .containsExactly(SECOND);
    }

    @Test
    void whatIsTooLongEndsTheCall() {
        for (Function<Duration, Duration> wait : List.<Function<Duration, Duration>>of(
                cap -> cap.plusNanos(1), cap -> Duration.ofSeconds(Long.MAX_VALUE))) {
            Trial trial = trial(saying(BUSY, wait.apply(Duration.ofSeconds(10))));

            assertThat(trial.call(BUSY, "up").reason()).isEqualTo(StopReason.DELAY_TOO_LONG);
            assertThat(trial.thrown()).isSameAs(BUSY);
        }
    }

    @Test
    void zeroMeansAtOnce() {
        assertThat(trial(saying(BUSY, Duration.ZERO)).call(BUSY, "up").waits()).isEmpty();
    }
}
