// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.backoff.Jitter;
import dev.retryon.budget.RetryBudget;
import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long to wait, and whether there is time: rules 8 to 11 and their order. */
class DecisionWaitTests {

    private static final IOException DOWN = new IOException("down");

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static RetryDecider delaying(BiFunction<RetryContext, @Nullable Throwable, @Nullable Duration> delay) {
        return new RetryDecider() {
            @Override
            public Duration delay(RetryContext context, @Nullable Throwable error) {
                return delay.apply(context, error);
            }
        };
    }

    private static RetryDecider delaying(Duration delay) {
        return delaying((context, error) -> delay);
    }

    // 8. The delay.

    @Test
    void chanceIsThatOfTheJdkUnlessTheEngineIsGivenAnother() {
        List<Duration> waits = new ArrayList<>();
        Retry retry = Retry.builder(
                        "trial",
                        Trial.policy().jitter(Jitter.full()).maxAttempts(41).build())
                .engine(RetryEngine.builder().time(Times.sleeping(waits::add)).build())
                .build();

        retry.capture(() -> {
            throw DOWN;
        });

        // 40 draws out of 10^9 nanoseconds
        assertThat(waits).allMatch(wait -> wait.compareTo(SECOND) <= 0);
        assertThat(new HashSet<>(waits)).hasSizeGreaterThan(20);
    }

    @Test
    void aDecidersDelayBeatsTheErrorsWishAndThePolicy() {
        Trial trial = new Trial(
                Trial.policy().jitter(Jitter.bounded()),
                engine -> engine.random(() -> -1L)
                        .decider(delaying(Duration.ZERO))
                        .decider(delaying(Duration.ofSeconds(7)))
                        .decider(delaying(Duration.ofSeconds(8))));

        trial.call(RetrySignal.retryAfter("busy", Duration.ofSeconds(3)), DOWN, "up");

        assertThat(trial.waits())
                .as("the first that is not zero, without jitter")
                .containsOnly(Duration.ofSeconds(7));
    }

    @Test
    void aDecidersDelayIsCapped() {
        Trial trial = new Trial(
                Trial.policy().maxDelay(Duration.ofSeconds(10)),
                engine -> engine.decider(delaying(Duration.ofSeconds(11))));

        assertThat(trial.call(DOWN, "up").waits()).containsExactly(Duration.ofSeconds(10));
        assertThat(trial.call(RetrySignal.retryAfter("busy", Duration.ofDays(1)), "up")
                        .waits())
                .as("the error's wish, however long, is not asked for")
                .containsExactly(Duration.ofSeconds(10));
    }

    @Test
    void aDecidersDelayThatIsNegativeOrNullSaysNothing() {
        Trial trial = new Trial(
                Trial.policy(),
                engine -> engine.decider(delaying(Duration.ofSeconds(-3))).decider(delaying((context, error) -> null)));

        assertThat(trial.call(DOWN, "up").waits()).containsExactly(SECOND);
    }

    @Test
    void theErrorsWishIsTakenExactly() {
        Trial trial = new Trial(
                Trial.policy().maxDelay(Duration.ofSeconds(10)).jitter(Jitter.bounded()),
                engine -> engine.random(() -> -1L));

        // The first is below the delay, the last is the cap itself.
        trial.call(
                RetrySignal.retryAfter("busy", Duration.ofMillis(10)),
                RetrySignal.retryAfter("busy", Duration.ofSeconds(3)),
                RetrySignal.retryAfter("busy", Duration.ofSeconds(10)),
                "up");

        assertThat(trial.waits()).containsExactly(Duration.ofMillis(10), Duration.ofSeconds(3), Duration.ofSeconds(10));
    }

    @Test
    void aWishOfZeroIsARetryAtOnce() {
        Trial trial = new Trial(Trial.policy().jitter(Jitter.additive(SECOND)));

        trial.call(RetrySignal.retryAfter("now", Duration.ZERO), "up");

        assertThat(trial.value()).isEqualTo("up");
        assertThat(trial.waits()).isEmpty();
    }

    @Test
    void aNegativeWishCountsAsNone() {
        Trial trial = new Trial(Trial.policy());

        assertThat(trial.call(RetrySignal.retryAfter("past", Duration.ofSeconds(-30)), "up")
                        .waits())
                .containsExactly(SECOND);
    }

    @Test
    void aWishLongerThanTheCapEndsTheCall() {
        RetrySignal signal =
                RetrySignal.retryAfter("busy", Duration.ofSeconds(10).plusNanos(1));
        Trial trial = new Trial(Trial.policy().maxDelay(Duration.ofSeconds(10)));

        trial.call(signal, "up");

        assertThat(trial.thrown()).isSameAs(signal);
        assertThat(trial.reason()).isEqualTo(StopReason.DELAY_TOO_LONG);
        assertThat(trial.waits()).isEmpty();
    }

    @Test
    void otherwiseBackoffAndJitterDecide() {
        Trial trial = new Trial(
                Trial.policy().backoff("exponential").jitter(Jitter.bounded()), engine -> engine.random(() -> -1L));

        // 2 · 1, 2 · 2, 2 · 4
        assertThat(trial.call(DOWN, DOWN, DOWN, "up").waits())
                .extracting(Duration::toSeconds)
                .containsExactly(2L, 4L, 8L);
    }

    // 9. Total time.

    @Test
    void aWaitThatWouldPassTheTimeoutIsNotMade() {
        Trial trial = new Trial(Trial.policy().timeout(Duration.ofMillis(2500)));

        trial.call(DOWN);

        // After two waits of a second, a third would end at 3 s.
        assertThat(trial.reason()).isEqualTo(StopReason.TIMEOUT);
        assertThat(trial.thrown()).isSameAs(DOWN);
        assertThat(trial.waits()).containsExactly(SECOND, SECOND);
    }

    @Test
    void aWaitMayEndExactlyAtTheTimeout() {
        Trial trial = new Trial(Trial.policy().timeout(Duration.ofSeconds(2)));

        assertThat(trial.call(DOWN, DOWN, "up").value()).isEqualTo("up");
        // 2 s + 1 ns > 2 s
        Trial shorter = new Trial(Trial.policy().timeout(Duration.ofSeconds(2).minusNanos(1)));
        assertThat(shorter.call(DOWN, DOWN, "up").waits()).containsExactly(SECOND);
    }

    @Test
    void attemptsTakeTimeToo() {
        VirtualTime time = new VirtualTime();
        Retry retry = Retry.builder(
                        "slow", Trial.policy().timeout(Duration.ofSeconds(10)).build())
                .engine(time.engine().build())
                .build();

        RetryResult<Object> result = retry.capture(() -> {
            time.advance(Duration.ofSeconds(4));
            throw new IOException("slow");
        });

        // 4 + 1 + 4 = 9; another second ends at 10, after which a third attempt ends at 14
        assertThat(result.attempts()).isEqualTo(3);
        assertThat(result.stopReason()).isEqualTo(StopReason.TIMEOUT);
        assertThat(result.elapsed()).isEqualTo(Duration.ofSeconds(14));
    }

    @Test
    void retriesAtOnceEndWithTheTimeoutToo() {
        VirtualTime time = new VirtualTime();
        Retry retry = Retry.builder(
                        "slow",
                        Trial.policy()
                                .backoff("none")
                                .maxAttempts(100)
                                .timeout(Duration.ofSeconds(10))
                                .build())
                .engine(time.engine().build())
                .build();

        RetryResult<Object> result = retry.capture(() -> {
            time.advance(SECOND);
            throw new IOException("slow");
        });

        // The attempt that ends at 10 s can be followed by one immediately; after 11 s, none follows.
        assertThat(result.attempts()).isEqualTo(11);
        assertThat(result.stopReason()).isEqualTo(StopReason.TIMEOUT);
    }

    @Test
    void aWishThatIsTooLongIsToldBeforeTheTimeout() {
        Trial trial = new Trial(Trial.policy().maxDelay(Duration.ofSeconds(10)).timeout(Duration.ofSeconds(5)));

        assertThat(trial.call(RetrySignal.retryAfter("busy", Duration.ofSeconds(11)))
                        .reason())
                .isEqualTo(StopReason.DELAY_TOO_LONG);
        assertThat(trial.call(RetrySignal.retryAfter("busy", Duration.ofSeconds(9)))
                        .reason())
                .isEqualTo(StopReason.TIMEOUT);
    }

    @Test
    void exhaustionAndGatesComeBeforeTheTimeout() {
        RetryPolicyBuilder tight = Trial.policy().timeout(Duration.ofMillis(1));

        assertThat(new Trial(tight).call(DOWN).reason()).isEqualTo(StopReason.TIMEOUT);
        assertThat(new Trial(tight.unless((error, call) -> true)).call(DOWN).reason())
                .isEqualTo(StopReason.REJECTED);
        assertThat(new Trial(tight.maxAttempts(1)).call(DOWN).reason()).isEqualTo(StopReason.EXHAUSTED);
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, Long.MAX_VALUE / 1_000_000_000L})
    void aTimeoutMayBeEndless(long seconds) {
        Trial trial = new Trial(Trial.policy().timeout(Duration.ofSeconds(seconds)));

        assertThat(trial.call(DOWN, "up").value()).isEqualTo("up");
    }

    // 10. The budget.

    /** A budget that grants one retry and no more. */
    private static RetryBudget.Builder oneRetry() {
        return RetryBudget.builder()
                .ratio(0)
                .minPerSecond(1)
                .window(Duration.ofSeconds(1))
                .ticker(() -> 0);
    }

    @Test
    void aRetryThatTheBudgetDoesNotGrantIsNotMade() {
        RetryBudget budget = oneRetry().build();
        Trial trial = new Trial(Trial.policy().budget(budget));

        trial.call(DOWN);

        assertThat(trial.reason()).isEqualTo(StopReason.BUDGET);
        assertThat(trial.thrown()).isSameAs(DOWN);
        assertThat(trial.attempts()).isEqualTo(2);
        assertThat(budget.denied()).isEqualTo(1);
    }

    @Test
    void everyCallPaysIntoTheBudgetOnce() {
        RetryBudget budget =
                RetryBudget.builder().ratio(1).minPerSecond(0).ticker(() -> 0).build();
        Trial trial = new Trial(Trial.policy().budget(budget));

        trial.call("up").call("up").call(DOWN);

        // Three calls pay for three retries.
        assertThat(trial.attempts()).isEqualTo(4);
        assertThat(trial.reason()).isEqualTo(StopReason.BUDGET);
    }

    @Test
    void noTokenIsTakenForARetryThatIsRefusedAnyway() {
        RetryBudget budget = oneRetry().build();
        RetryPolicyBuilder policy = Trial.policy().budget(budget).maxDelay(SECOND);

        assertThat(new Trial(policy.maxAttempts(1)).call(DOWN).reason()).isEqualTo(StopReason.EXHAUSTED);
        policy.maxAttempts(6);
        assertThat(new Trial(policy).call(new IllegalStateException()).reason()).isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(new Trial(policy)
                        .call(RetrySignal.retryAfter("busy", Duration.ofDays(1)))
                        .reason())
                .isEqualTo(StopReason.DELAY_TOO_LONG);
        policy.timeout(Duration.ofMillis(1));
        assertThat(new Trial(policy).call(DOWN).reason()).isEqualTo(StopReason.TIMEOUT);
        assertThat(new Trial(policy.unless((error, call) -> true)).call(DOWN).reason())
                .isEqualTo(StopReason.REJECTED);

        assertThat(budget.tokens()).isEqualTo(1);
        assertThat(budget.denied()).isZero();
    }

    @Test
    void anEmptyBudgetIsToldBeforeShutdown() {
        Trial trial = new Trial(Trial.policy().budget(oneRetry().minPerSecond(0).build()));
        trial.engine.close();

        assertThat(trial.call(DOWN).reason()).isEqualTo(StopReason.BUDGET);
    }

    // 11. Shutdown.

    @Test
    void nothingIsRetriedAfterTheEngineIsClosed() {
        Trial trial = new Trial(Trial.policy());
        trial.engine.close();
        trial.engine.close();

        trial.call(DOWN, "up");

        assertThat(trial.reason()).isEqualTo(StopReason.SHUTDOWN);
        assertThat(trial.thrown()).isSameAs(DOWN);
        assertThat(trial.waits()).isEmpty();
        assertThat(trial.events()).as("no retry is announced").hasSize(1);
    }

    @Test
    void firstAttemptsAreMadeAfterTheEngineIsClosed() {
        Trial trial = new Trial(Trial.policy());
        trial.engine.close();

        assertThat(trial.call("up").value()).isEqualTo("up");
    }

    @Test
    void shutdownIsTheLastReasonThatIsChecked() {
        Trial trial = new Trial(Trial.policy().maxDelay(Duration.ofSeconds(10)).timeout(Duration.ofMillis(1)));
        trial.engine.close();

        assertThat(trial.call(DOWN).reason()).isEqualTo(StopReason.TIMEOUT);
        assertThat(trial.call(RetrySignal.retryAfter("busy", Duration.ofSeconds(11)))
                        .reason())
                .isEqualTo(StopReason.DELAY_TOO_LONG);
        assertThat(trial.call(new IllegalStateException()).reason()).isEqualTo(StopReason.NOT_RETRYABLE);
    }

    @Test
    void aWaitThatTheEndOfTheEngineCutsShortIsNotFollowedByAnAttempt() {
        VirtualTime time = new VirtualTime();
        RetryEngine[] engine = new RetryEngine[1];
        engine[0] =
                time.engine().time(Times.sleeping(delay -> engine[0].close())).build();
        Retry retry =
                Retry.builder("late", Trial.policy().build()).engine(engine[0]).build();

        RetryResult<Object> result = retry.capture(() -> {
            throw DOWN;
        });

        assertThat(result.stopReason()).isEqualTo(StopReason.SHUTDOWN);
        assertThat(result.attempts()).isEqualTo(1);
        assertThat(result.delays()).isEmpty();
    }
}
