// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.retryon.RetryPolicy.DelayRange;
import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.backoff.Jitter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Delay = backoff, then cap, then jitter, then cap again. */
class PolicyDelayTests {

    private static final RandomGenerator LOWEST = () -> 0L;

    private static final RandomGenerator HIGHEST = () -> -1L;

    private static final Duration DAY = Duration.ofHours(24);

    private static RetryPolicyBuilder policy() {
        return RetryPolicy.builder().jitter(Jitter.none());
    }

    @ParameterizedTest(name = "exponential from 1 s, cap 8 s, {0}: before retry {1} {2} … {3} ms")
    @CsvSource({
        // retry 3 is 4 s, which jitter can lengthen up to the cap
        "none,    3, 4000, 4000",
        "bounded, 3, 4000, 8000",
        "+3s,     3, 4000, 7000",
        // retry 4 is 8 s: jitter adds nothing to it any more
        "bounded, 4, 8000, 8000",
        "+3s,     4, 8000, 8000",
        // retry 10 is 512 s, capped to 8 s before the jitter: 4 = 8 · (1 − 0.5), not 8 = min(8, 256)
        "50%,    10, 4000, 8000",
        "half,   10, 4000, 8000",
        "full,   10,    0, 8000",
    })
    void theCapHoldsBeforeAndAfterTheJitter(String jitter, int retry, long shortestMillis, long longestMillis) {
        RetryPolicy policy = policy().maxDelay(Duration.ofSeconds(8))
                .jitter(Jitter.parse(jitter))
                .build();

        assertThat(policy.delay(retry, null, LOWEST)).isEqualTo(Duration.ofMillis(shortestMillis));
        assertThat(policy.delay(retry, null, HIGHEST)).isEqualTo(Duration.ofMillis(longestMillis));
    }

    @Test
    void theCapMayEqualTheDelay() {
        RetryPolicy policy = policy().delay(Duration.ofSeconds(2))
                .maxDelay(Duration.ofSeconds(2))
                .jitter(Jitter.bounded())
                .build();

        assertThat(policy.delay(1, null, HIGHEST)).isEqualTo(Duration.ofSeconds(2));
        assertThat(policy.delay(9, null, HIGHEST)).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void theCapHoldsForTheDefaultDelayToo() {
        RetryPolicy policy = policy().maxDelay(Duration.ofMillis(300)).build();

        assertThat(policy.delay(1, null, LOWEST)).isEqualTo(Duration.ofMillis(300));
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "full", "bounded", "50%", "+3s"})
    void aCapOfZeroIsNoDelay(String jitter) {
        RetryPolicy policy =
                policy().maxDelay(Duration.ZERO).jitter(Jitter.parse(jitter)).build();

        assertThat(policy.delay(1, null, HIGHEST)).isZero();
        assertThat(policy.delay(10_000_000, Duration.ofHours(1), HIGHEST)).isZero();
    }

    @Test
    void aDelayAboveTheDefaultCapRaisesItToItself() {
        RetryPolicy policy = policy().delay(Duration.ofMinutes(12)).build();

        assertThat(policy.maxDelay()).isEqualTo(Duration.ofMinutes(12));
        assertThat(policy.delay(1, null, LOWEST)).isEqualTo(Duration.ofMinutes(12));
        assertThat(policy.delay(2, null, LOWEST)).isEqualTo(Duration.ofMinutes(12));
        // It is raised by the delay, not for good.
        assertThat(policy.toBuilder().delay(Duration.ofSeconds(1)).build().maxDelay())
                .isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void delaysAboveADayAreAcceptedAndCapped() {
        RetryPolicy policy =
                policy().delay(Duration.ofDays(3)).jitter(Jitter.bounded()).build();

        assertThat(policy.delay()).isEqualTo(Duration.ofDays(3));
        assertThat(policy.maxDelay()).isEqualTo(DAY);
        assertThat(policy.delay(1, null, LOWEST)).isEqualTo(DAY);
        assertThat(policy.delay(2, null, HIGHEST)).isEqualTo(DAY);
        assertThat(policy().delay(Duration.ofHours(36))
                        .maxDelay(Duration.ofDays(400))
                        .build()
                        .maxDelay())
                .isEqualTo(DAY);
    }

    @Test
    void aDelayOfZeroMeansAtOnceAndIsNotJittered() {
        for (String backoff : Backoff.names()) {
            RetryPolicy policy = policy().backoff(backoff)
                    .delay(Duration.ZERO)
                    .jitter(Jitter.additive(Duration.ofSeconds(3)))
                    .build();

            assertThat(policy.delay(1, null, HIGHEST)).isZero();
            assertThat(policy.delay(3, Duration.ofSeconds(9), HIGHEST)).isZero();
        }
        assertThat(policy().backoff(Backoff.none())
                        .jitter(Jitter.additive(Duration.ofSeconds(3)))
                        .build()
                        .delay(1, null, HIGHEST))
                .isZero();
    }

    @Test
    void aStrategyOfTheUsersMayIgnoreABaseOfZero() {
        RetryPolicy policy = policy().backoff((retry, base, previous) -> Duration.ofSeconds(retry))
                .delay(Duration.ZERO)
                .jitter(Jitter.bounded())
                .build();

        // 6 = 2 · 3
        assertThat(policy.delay(3, null, HIGHEST)).isEqualTo(Duration.ofSeconds(6));
    }

    @Test
    void aStrategyOfTheUsersThatReturnsZeroIsNotJittered() {
        RetryPolicy policy = policy().backoff((retry, base, previous) -> Duration.ZERO)
                .jitter(Jitter.additive(Duration.ofSeconds(3)))
                .build();

        assertThat(policy.delay(1, null, HIGHEST)).isZero();
    }

    @Test
    void everyCombinationSaturatesAtHugeRetryNumbers() {
        for (String backoff : Backoff.names()) {
            for (String jitter : List.of("none", "full", "half", "bounded", "50%", "100%", "+3s")) {
                for (int retry : new int[] {10_000_000, Integer.MAX_VALUE}) {
                    RetryPolicy policy = policy().backoff(backoff)
                            .multiplier(1e9)
                            .maxDelay(Duration.ofHours(2))
                            .jitter(Jitter.parse(jitter))
                            .build();

                    assertThat(policy.delay(retry, DAY, HIGHEST)).isBetween(Duration.ZERO, Duration.ofHours(2));
                    assertThat(policy.delay(retry, DAY, LOWEST)).isBetween(Duration.ZERO, Duration.ofHours(2));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void retryNumbersBelowOneAreRejected(int retry) {
        for (String backoff : Backoff.names()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> policy().backoff(backoff).build().delay(retry, null, LOWEST))
                    .withMessage("retry is '" + retry + "', but must be at least 1");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        policy().backoff((n, base, previous) -> base).build().delay(retry, null, LOWEST));
    }

    enum Broken implements BackoffStrategy {
        RETURNS_NULL,
        RETURNS_NEGATIVE,
        THROWS;

        @Override
        public Duration delay(int retry, Duration base, Duration previous) {
            return switch (this) {
                case RETURNS_NULL -> null;
                case RETURNS_NEGATIVE -> Duration.ofSeconds(-5);
                case THROWS -> throw new IllegalStateException("no idea");
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void theBaseDelayStandsInForABrokenStrategy(Broken strategy) {
        RetryPolicyBuilder policy = policy().backoff(strategy).delay(Duration.ofSeconds(7));

        assertThat(policy.build().delay(3, null, LOWEST)).isEqualTo(Duration.ofSeconds(7));
        // It is capped and jittered like any other: 14 = 2 · 7
        assertThat(policy.jitter(Jitter.bounded()).build().delay(3, null, HIGHEST))
                .isEqualTo(Duration.ofSeconds(14));
    }

    @ParameterizedTest
    @EnumSource
    void aBrokenStrategyIsWarnedOfOnceAndTheCallGoesOn(Broken strategy) {
        RetryPolicyBuilder policy = Trial.policy().backoff(strategy).delay(Duration.ofSeconds(7));
        Trial trial = new Trial(policy);
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            Exception error = new java.io.IOException("down");

            assertThat(trial.call(error, error, error, "up").value()).isEqualTo("up");
            assertThat(trial.waits())
                    .containsExactly(Duration.ofSeconds(7), Duration.ofSeconds(7), Duration.ofSeconds(7));
            trial.call(error, "up");

            assertThat(warnings.messages())
                    .singleElement()
                    .asString()
                    .isEqualTo("trial: backoff " + strategy + " failed, so the base delay of 7s is used (logged once"
                            + " for java.lang.IllegalStateException)");
            assertThat(warnings.causes())
                    .singleElement()
                    .isInstanceOf(IllegalStateException.class)
                    .extracting(Throwable::getMessage, as(STRING))
                    .matches("no idea|backoff \\S+Broken returned (null|-5s)");

            new Trial(policy).call(error, "up");
            assertThat(warnings.messages()).as("each engine warns for itself").hasSize(2);
        }
    }

    @Test
    void previousIsWhatWasReallyWaited() {
        List<Duration> previous = new ArrayList<>();
        BackoffStrategy spy = (retry, base, last) -> {
            previous.add(last);
            return base.multipliedBy(retry);
        };
        Exception error = new java.io.IOException("down");
        Exception asksForNine = RetrySignal.retryAfter("busy", Duration.ofSeconds(9));
        Trial trial = new Trial(
                Trial.policy().backoff(spy).jitter(Jitter.bounded()).maxAttempts(10),
                engine -> engine.random(HIGHEST).decider(new RetryDecider() {
                    @Override
                    public Duration delay(RetryContext context, Throwable failure) {
                        return context.attempt() == 4 ? Duration.ofSeconds(20) : Duration.ZERO;
                    }
                }));

        trial.call(error, asksForNine, error, error, error, "up");

        // Chosen by: strategy and jitter 2 · 1, the error, strategy 2 · 3, the decider, strategy 2 · 5.
        assertThat(trial.waits()).extracting(Duration::toSeconds).containsExactly(2L, 9L, 6L, 20L, 10L);
        // The strategy is asked before retries 1, 3 and 5 only.
        assertThat(previous).containsExactly(null, Duration.ofSeconds(9), Duration.ofSeconds(20));
        trial.call(error, "up");
        assertThat(previous.get(3)).as("a new call starts anew").isNull();
    }

    @Test
    void decorrelatedGrowsFromWhatWasWaited() {
        Trial trial = new Trial(Trial.policy().backoff("decorrelated"), engine -> engine.random(HIGHEST));

        trial.call(new java.io.IOException("down"));

        // 1 s · 3, · 3 …; the cap of five minutes comes after 243 s
        assertThat(trial.waits()).extracting(Duration::toSeconds).containsExactly(3L, 9L, 27L, 81L, 243L);
    }

    @Test
    void theScheduleOfTheDefaults() {
        RetryPolicy policy = RetryPolicy.builder().maxAttempts(12).build();

        assertThat(policy.schedule(11))
                .extracting(DelayRange::toString)
                .containsExactly(
                        // d · 2^(n−1) · [0.5, 1.5)
                        "500ms–1500ms",
                        "1s–3s",
                        "2s–6s",
                        "4s–12s",
                        "8s–24s",
                        "16s–48s",
                        "32s–96s",
                        "64s–192s",
                        // 256 · 0.5 = 128; 256 · 1.5 = 384, capped to 300
                        "128s–5m",
                        // capped to 300, · 0.5 = 150
                        "150s–5m",
                        "150s–5m");
    }

    @Test
    void theScheduleOfDecorrelatedSupposesTheShortestAndTheLongestHistory() {
        RetryPolicy policy = policy().backoff("decorrelated").maxAttempts(8).build();

        assertThat(policy.schedule(7))
                .extracting(
                        range -> range.shortest().toSeconds(),
                        range -> range.longest().toSeconds())
                .extracting(Object::toString)
                .containsExactly(
                        "(1L, 3L)", "(1L, 9L)", "(1L, 27L)", "(1L, 81L)", "(1L, 243L)", "(1L, 300L)", "(1L, 300L)");
    }

    @Test
    void theScheduleHoldsWhatCanHappen() {
        RetryPolicyBuilder policy = policy().maxAttempts(3);

        assertThat(policy.build().schedule(100)).as("two retries at most").hasSize(2);
        assertThat(policy.build().schedule(1)).hasSize(1);
        assertThat(policy.build().schedule(0)).isEmpty();
        assertThat(policy.maxAttempts(1).build().schedule(5)).isEmpty();
        assertThat(policy.maxAttempts(5).retryable(false).build().schedule(5)).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy().build().schedule(-1))
                .withMessage("retries is '-1', but must not be negative");
    }

    @Test
    void theScheduleTellsEqualBoundsOnce() {
        assertThat(policy().maxAttempts(3).build().schedule(2))
                .hasToString("[1s, 2s]")
                .isUnmodifiable();
    }
}
