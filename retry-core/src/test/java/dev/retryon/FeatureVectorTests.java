// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.retryon.RetryPolicy.DelayRange;
import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.Jitter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The numbers that five retry systems publish, each under the name by which the feature list knows it. */
class FeatureVectorTests {

    private static final IOException DOWN = new IOException("down");

    private static RetryPolicyBuilder policy() {
        return RetryPolicy.builder().retryOn(IOException.class).jitter(Jitter.none());
    }

    /** The delays without chance, in seconds. */
    private static List<Long> seconds(RetryPolicyBuilder policy, int retries) {
        RetryPolicy built = policy.build();
        return IntStream.rangeClosed(1, retries)
                .mapToObj(retry -> built.delay(retry, null, () -> 0L).toSeconds())
                .toList();
    }

    // CMDx

    @Test
    void cmdx2NothingDeclaredIsNeverRetried() {
        assertThat(new Trial(RetryPolicy.builder()).call(DOWN).attempts()).isEqualTo(1);
    }

    @ParameterizedTest(name = "a limit of {0} retries is {1} attempts")
    @CsvSource({"3, 4", "1, 2", "0, 1"})
    void cmdx3ALimitOfRetriesIsOneAttemptMore(int limit, int attempts) {
        assertThat(new Trial(policy().maxAttempts(limit + 1)).call(DOWN).attempts())
                .isEqualTo(attempts);
    }

    @Test
    void cmdx4HalfASecondAndNeverSleeping() {
        assertThat(new Trial(policy().backoff("fixed").delay(Duration.ofMillis(500)))
                        .call(DOWN)
                        .waits())
                .containsExactly(Duration.ofMillis(500), Duration.ofMillis(500));
        assertThat(new Trial(policy().delay(Duration.ZERO)).call(DOWN).waits()).isEmpty();
    }

    @ParameterizedTest(name = "{0}: {1} … {2} ms")
    @CsvSource({
        "none,     500,  500", // CMDX-6
        "half,     250,  500", // CMDX-12
        "full,       0,  500", // CMDX-13
        "bounded,  500, 1000", // CMDX-14
    })
    void cmdxJittersOfHalfASecond(String jitter, long shortest, long longest) {
        assertThat(policy().backoff("fixed")
                        .delay(Duration.ofMillis(500))
                        .jitter(Jitter.parse(jitter))
                        .build()
                        .schedule(1))
                .containsExactly(new DelayRange(Duration.ofMillis(shortest), Duration.ofMillis(longest)));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        // their attempt counts from 0, ours from 1
        "exponential, 1 2 4 8 16", // CMDX-11: d · 2^attempt
        "linear,      1 2 3 4  5", // CMDX-15: d · (attempt + 1)
        "fibonacci,   1 1 2 3  5", // CMDX-16
    })
    void cmdxStrategies(String backoff, String expected) {
        assertThat(seconds(policy().backoff(backoff), 5)).isEqualTo(longs(expected));
    }

    @Test
    void cmdx5TheCapComesAfterTheJitter() {
        RetryPolicyBuilder policy = policy().delay(Duration.ofSeconds(4))
                .maxDelay(Duration.ofSeconds(6))
                .jitter(Jitter.bounded());

        // 8 = 2 · 4 at the most, clamped to 6
        assertThat(policy.build().schedule(1))
                .containsExactly(new DelayRange(Duration.ofSeconds(4), Duration.ofSeconds(6)));
    }

    @Test
    void cmdx17And18DecorrelatedStartsFromTheDelayAndIsClamped() {
        RetryPolicy policy = policy().backoff("decorrelated")
                .delay(Duration.ofMillis(500))
                .maxDelay(Duration.ofSeconds(4))
                .build();

        // 1.5 s = 3 · 0.5 s for a standalone call
        assertThat(policy.delay(1, null, () -> -1L)).isEqualTo(Duration.ofMillis(1500));
        // min(3 · 1.5, 4)
        assertThat(policy.delay(2, Duration.ofMillis(1500), () -> -1L)).isEqualTo(Duration.ofSeconds(4));
    }

    // Open Job Spec

    @Test
    void ojs12TheExponentialTable() {
        assertThat(seconds(policy().maxDelay(Duration.ofSeconds(300)), 10))
                // 512 = 2⁹ is capped
                .isEqualTo(longs("1 2 4 8 16 32 64 128 256 300"));
    }

    @Test
    void ojs3And5TheFirstWaitIsASecondAndNoneIsLongerThanFiveMinutes() {
        Trial trial = new Trial(policy().maxAttempts(12));

        trial.call(DOWN);

        // 256 = 2⁸, 512 is capped
        assertThat(trial.waits())
                .extracting(Duration::toSeconds)
                .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 64L, 128L, 256L, 300L, 300L);
    }

    @Test
    void ojs4CoefficientsStartAtOne() {
        assertThat(seconds(policy().multiplier(1.0), 3)).isEqualTo(longs("1 1 1"));
        assertThatIllegalArgumentException().isThrownBy(() -> policy().multiplier(0.9));
    }

    @ParameterizedTest(name = "{0}({1})")
    @CsvSource({
        "fixed,       2.0, 1 1 1  1  1", // OJS-10
        "linear,      2.0, 1 2 3  4  5", // OJS-11
        "exponential, 3.0, 1 3 9 27 81", // OJS-12
        "polynomial,  2.0, 1 4 9 16 25", // OJS-13
    })
    void ojs9FourStrategies(String backoff, double coefficient, String expected) {
        assertThat(seconds(policy().backoff(backoff).multiplier(coefficient), 5))
                .isEqualTo(longs(expected));
    }

    @Test
    void ojs15JitterIsAFactorBetweenHalfAndOneAndAHalfThenCappedAgain() {
        RetryPolicy policy = policy().jitter(Jitter.proportional(0.5))
                .maxDelay(Duration.ofSeconds(5))
                .build();

        // retry 3 is 4 s: 2 = 4 · 0.5; 6 = 4 · 1.5, capped to 5
        assertThat(policy.delay(3, null, () -> 0L)).isEqualTo(Duration.ofSeconds(2));
        assertThat(policy.delay(3, null, () -> -1L)).isEqualTo(Duration.ofSeconds(5));
    }

    /** As the source has it. */
    private static RetryPolicyBuilder paymentExample() {
        return RetryPolicy.builder()
                .retryOn(IOException.class, RetrySignal.class)
                .maxAttempts(25)
                .delay(Duration.ofSeconds(15))
                .backoff(Backoff.polynomial(4))
                .maxDelay(Duration.ofHours(1))
                .jitter(Jitter.proportional(0.5))
                .nonRetryableErrors("payment.card_stolen", "payment.card_expired", "validation.*")
                .onExhaustion(ExhaustionAction.DEAD_LETTER);
    }

    @Test
    void ojs25ThePaymentExampleWithTheShortestWaits() {
        List<FailedCall> dead = new ArrayList<>();
        Trial trial = new Trial(paymentExample(), engine -> engine.deadLetters(dead::add));

        trial.call(DOWN);

        assertThat(dead).singleElement().returns(StopReason.EXHAUSTED, FailedCall::reason);
        assertThat(trial.attempts()).isEqualTo(25);
        assertThat(trial.reason()).isEqualTo(StopReason.EXHAUSTED);
        // half of 15, of 15 · 2⁴ = 240, of 15 · 3⁴ = 1215, then of 3600, to which 15 · 4⁴ = 3840 is capped
        assertThat(trial.waits().subList(0, 5))
                .extracting(Duration::toMillis)
                .containsExactly(7_500L, 120_000L, 607_500L, 1_800_000L, 1_800_000L);
        // 38 535 000 = 7500 + 120 000 + 607 500 + 21 · 1 800 000
        assertThat(trial.time.nanoTime())
                .isEqualTo(Duration.ofMillis(38_535_000).toNanos());
    }

    @Test
    void ojs25ThePaymentExampleWithTheLongestWaits() {
        Trial trial =
                new Trial(paymentExample(), engine -> engine.random(() -> -1L).deadLetters(call -> {}));

        trial.call(DOWN);

        assertThat(trial.attempts()).isEqualTo(25);
        // one and a half of 15, of 240 and of 1215; those of 3600 are capped again
        assertThat(trial.waits().subList(0, 5))
                .extracting(wait -> Math.round(wait.toNanos() / 1e6))
                .containsExactly(22_500L, 360_000L, 1_822_500L, 3_600_000L, 3_600_000L);
    }

    @ParameterizedTest(name = "{0}: {1} attempts")
    @CsvSource({
        "payment.card_stolen, 1",
        "payment.card_expired, 1",
        "validation.amount, 1",
        "validation, 25",
        "payment.gateway_timeout, 25",
    })
    void ojs25ThePaymentExampleKnowsWhatIsNotRetried(String code, int attempts) {
        Trial trial = new Trial(paymentExample(), engine -> engine.deadLetters(call -> {}));

        trial.call(new RetrySignal(RetryDirective.RETRY, "no", null, null, code));

        assertThat(trial.attempts()).isEqualTo(attempts);
        assertThat(trial.reason()).isEqualTo(attempts == 1 ? StopReason.NOT_RETRYABLE : StopReason.EXHAUSTED);
    }

    @Test
    void ojs26ThePollingExample() {
        Trial trial = new Trial(policy().maxAttempts(60)
                .delay(Duration.ofSeconds(10))
                .backoff("exponential")
                .multiplier(1.0));

        trial.call(DOWN);

        assertThat(trial.attempts()).isEqualTo(60);
        assertThat(trial.waits()).hasSize(59).containsOnly(Duration.ofSeconds(10));
    }

    // Ratchet

    @Test
    void rat2And3NoneAndFixed() {
        assertThat(seconds(policy().backoff("none").delay(Duration.ofSeconds(10)), 3))
                .isEqualTo(longs("0 0 0"));
        assertThat(seconds(policy().backoff("fixed").delay(Duration.ofSeconds(10)), 4))
                .isEqualTo(longs("10 10 10 10"));
    }

    @Test
    void rat4ExponentialIsOneTwoFourEight() {
        Trial trial = new Trial(policy().maxAttempts(5));

        trial.call(DOWN);

        assertThat(trial.waits()).extracting(Duration::toSeconds).containsExactly(1L, 2L, 4L, 8L);
        // 15 = 1 + 2 + 4 + 8
        assertThat(trial.time.nanoTime()).isEqualTo(Duration.ofSeconds(15).toNanos());
    }

    @ParameterizedTest(name = "a base of {0} ms")
    @CsvSource({"1000", "5000", "100", "86400000"})
    void rat6TheDelayDoublesUpToADay(long base) {
        RetryPolicy policy = policy().delay(Duration.ofMillis(base))
                .maxDelay(Duration.ofHours(24))
                .build();

        for (int attempt = 1; attempt <= 100; attempt++) {
            // The source's formula, its exponent of at most 20 included.
            long doubled = base * (1L << Math.min(attempt - 1, 20));
            assertThat(policy.delay(attempt, null, () -> 0L))
                    .as("retry %s", attempt)
                    .isEqualTo(Duration.ofMillis(Math.min(doubled, 86_400_000)));
        }
    }

    @Test
    void rat6ASmallBaseDoublesBeyondTheExponentOfTheSource() {
        RetryPolicy policy = policy().delay(Duration.ofMillis(10))
                .maxDelay(Duration.ofHours(24))
                .build();

        assertThat(policy.delay(21, null, () -> 0L)).isEqualTo(Duration.ofMillis(10 * 1_048_576)); // 2²⁰
        // The source stays at 2.9 hours; here the cap alone ends the growth.
        assertThat(policy.delay(22, null, () -> 0L)).isEqualTo(Duration.ofMillis(10 * 2_097_152)); // 2²¹
        assertThat(policy.delay(40, null, () -> 0L)).isEqualTo(Duration.ofHours(24));
    }

    // Flare

    @Test
    void flr7FifteenSecondsDoubledPlusUpToThree() {
        RetryPolicy policy = policy().maxAttempts(9)
                .delay(Duration.ofSeconds(15))
                .maxDelay(Duration.ofHours(24))
                .jitter(Jitter.additive(Duration.ofMillis(3000)))
                .build();

        assertThat(policy.schedule(8))
                .extracting(range ->
                        range.shortest().toSeconds() + "–" + range.longest().toSeconds())
                .containsExactly("15–18", "30–33", "60–63", "120–123", "240–243", "480–483", "960–963", "1920–1923");
    }

    @Test
    void flr8ThreeAttemptsWaitFortyFiveToFiftyOneSeconds() {
        RetryPolicyBuilder policy =
                policy().delay(Duration.ofSeconds(15)).jitter(Jitter.additive(Duration.ofSeconds(3)));

        Trial shortest = new Trial(policy).call(DOWN);
        Trial longest = new Trial(policy, engine -> engine.random(() -> -1L)).call(DOWN);

        // 45 = 15 + 30; 51 = 18 + 33
        assertThat(shortest.time.nanoTime()).isEqualTo(Duration.ofSeconds(45).toNanos());
        assertThat(longest.time.nanoTime()).isEqualTo(Duration.ofSeconds(51).toNanos());
    }

    // Tasker

    @ParameterizedTest(name = "retryable {0}, maxAttempts {1}: {2} attempts, {3}")
    @CsvSource({
        "false, 1, 1, NOT_RETRYABLE", // TSK-5
        "true,  3, 3, EXHAUSTED", // TSK-6
        "true,  0, 1, EXHAUSTED", // TSK-2, TSK-11: 0 means the same as 1
        "true,  1, 1, EXHAUSTED",
        "true,  2, 2, EXHAUSTED",
        "false, 0, 1, NOT_RETRYABLE",
        "false, 3, 1, NOT_RETRYABLE", // TSK-12: the same as 1
    })
    void tasker(boolean retryable, int maxAttempts, int attempts, StopReason reason) {
        Trial trial = new Trial(policy().retryable(retryable).maxAttempts(maxAttempts));

        trial.call(DOWN);

        assertThat(trial.attempts()).isEqualTo(attempts);
        assertThat(trial.reason()).isEqualTo(reason);
    }

    @Test
    void tsk4RetryableFalseDoesNotBlockTheFirstAttempt() {
        assertThat(new Trial(policy().retryable(false)).call("done").value()).isEqualTo("done");
    }

    @Test
    void tsk16TheTransientExample() {
        assertThat(new Trial(policy().maxAttempts(3).maxDelay(Duration.ofSeconds(30)))
                        .call(DOWN)
                        .waits())
                .containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2));
    }

    @Test
    void tsk17TheCriticalExample() {
        RetryPolicyBuilder policy =
                policy().maxAttempts(10).delay(Duration.ofSeconds(5)).maxDelay(Duration.ofMinutes(5));

        // 320 = 5 · 2⁶ is capped
        assertThat(new Trial(policy).call(DOWN).waits())
                .extracting(Duration::toSeconds)
                .containsExactly(5L, 10L, 20L, 40L, 80L, 160L, 300L, 300L, 300L);
    }

    private static List<Long> longs(String text) {
        return Arrays.stream(text.split(" +")).map(Long::valueOf).toList();
    }
}
