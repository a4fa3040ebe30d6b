// SPDX-License-Identifier: Apache-2.0
package dev.retryon.backoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of backoff strategies, row by row, and its edges. */
class BackoffTests {

    private static final RandomGenerator LOWEST = () -> 0L;

    private static final RandomGenerator HIGHEST = () -> -1L;

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static final Duration DAY = Duration.ofHours(24);

    static List<Backoff> builtIn() {
        return List.of(
                Backoff.none(),
                Backoff.fixed(),
                Backoff.linear(),
                Backoff.exponential(2),
                Backoff.polynomial(2),
                Backoff.fibonacci(),
                Backoff.decorrelated());
    }

    @ParameterizedTest(name = "{0}({1}) of {2} ms")
    @CsvSource({
        "none,        2.0, 1000,     0     0     0     0     0      0      0      0",
        "fixed,       2.0, 1000,  1000  1000  1000  1000  1000   1000   1000   1000",
        "linear,      2.0, 1000,  1000  2000  3000  4000  5000   6000   7000   8000",
        "exponential, 2.0, 1000,  1000  2000  4000  8000 16000  32000  64000 128000",
        "exponential, 3.0,  100,   100   300   900  2700  8100  24300  72900 218700",
        // d · 1.5^(n−1) with d = 16 s
        "exponential, 1.5,16000, 16000 24000 36000 54000 81000 121500 182250 273375",
        "exponential, 1.0, 1000,  1000  1000  1000  1000  1000   1000   1000   1000",
        // d · n²
        "polynomial,  2.0, 1000,  1000  4000  9000 16000 25000  36000  49000  64000",
        // d · n⁴
        "polynomial,  4.0,  100,   100  1600  8100 25600 62500 129600 240100 409600",
        "polynomial,  1.0, 1000,  1000  2000  3000  4000  5000   6000   7000   8000",
        "fibonacci,   2.0, 1000,  1000  1000  2000  3000  5000   8000  13000  21000",
    })
    void delaysFollowTheTable(String name, double multiplier, long base, String expectedMillis) {
        Backoff backoff = Backoff.named(name, multiplier);

        List<Long> delays = IntStream.rangeClosed(1, 8)
                .mapToObj(retry ->
                        backoff.delay(retry, Duration.ofMillis(base), null).toMillis())
                .toList();

        assertThat(delays)
                .isEqualTo(Arrays.stream(expectedMillis.trim().split(" +"))
                        .map(Long::valueOf)
                        .toList());
    }

    @Test
    void exponentsNeedNotBeWhole() {
        // 4^1.5 = 8, 9^1.5 = 27
        assertThat(Backoff.polynomial(1.5).delay(4, SECOND, null)).isEqualTo(Duration.ofSeconds(8));
        assertThat(Backoff.polynomial(1.5).delay(9, SECOND, null)).isEqualTo(Duration.ofSeconds(27));
    }

    @ParameterizedTest(name = "previous {0} ms: up to {1} ms")
    @CsvSource({
        // base 1 s; before retry 1 there is no previous delay and p starts at d: 3000 = 3 · 1000
        ",     3000",
        "0,    1000",
        "333,  1000",
        // 1002 = 3 · 334
        "334,  1002",
        "1000, 3000",
        "5000, 15000",
    })
    void decorrelatedIsBetweenTheBaseAndThreeTimesThePreviousDelay(Long previousMillis, long highestMillis) {
        Duration previous = previousMillis == null ? null : Duration.ofMillis(previousMillis);

        assertThat(Backoff.decorrelated().delay(7, SECOND, previous, LOWEST)).isEqualTo(SECOND);
        assertThat(Backoff.decorrelated().delay(7, SECOND, previous, HIGHEST))
                .isEqualTo(Duration.ofMillis(highestMillis));
    }

    @Test
    void decorrelatedSaturatesAtOneDay() {
        assertThat(Backoff.decorrelated().delay(2, SECOND, Duration.ofHours(20), HIGHEST))
                .isEqualTo(DAY);
        assertThat(Backoff.decorrelated().delay(2, Duration.ofDays(400), Duration.ofDays(400), LOWEST))
                .isEqualTo(DAY);
    }

    @ParameterizedTest
    @MethodSource("builtIn")
    void aStrategyDrawsOnItsOwnIfNoSourceIsGiven(Backoff backoff) {
        assertThat(backoff.delay(1, SECOND, null)).isBetween(Duration.ZERO, Duration.ofSeconds(3));
    }

    @ParameterizedTest
    @MethodSource("builtIn")
    void aBaseOfZeroIsNoDelay(Backoff backoff) {
        for (int retry : new int[] {1, 2, 100, 10_000_000, Integer.MAX_VALUE}) {
            assertThat(backoff.delay(retry, Duration.ZERO, null, HIGHEST)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {1.5, 2, 10, 1e6, 1e300, Double.MAX_VALUE})
    void hugeRetryNumbersSaturateWhateverTheMultiplier(double multiplier) {
        for (int retry : new int[] {10_000_000, Integer.MAX_VALUE}) {
            assertThat(List.of(
                            Backoff.linear(),
                            Backoff.exponential(multiplier),
                            Backoff.polynomial(multiplier),
                            Backoff.fibonacci()))
                    .allSatisfy(backoff ->
                            assertThat(backoff.delay(retry, SECOND, null)).isEqualTo(DAY));
        }
    }

    @Test
    void aMultiplierOfOneNeverGrowsAndOneJustAboveGrowsSlowly() {
        assertThat(Backoff.exponential(1).delay(Integer.MAX_VALUE, SECOND, null))
                .isEqualTo(SECOND);
        // (1 + 1/10⁷)^(10⁷ − 1) is e, but for the last digits.
        assertThat(Backoff.exponential(1.0000001).delay(10_000_000, SECOND, null))
                .isCloseTo(Duration.ofNanos((long) (Math.E * 1e9)), Duration.ofMillis(1));
    }

    @Test
    void theSmallestBaseSaturatesToo() {
        Duration nano = Duration.ofNanos(1);

        // 2^31 − 1 ns are 2.1 s
        assertThat(Backoff.linear().delay(Integer.MAX_VALUE, nano, null)).isEqualTo(Duration.ofNanos(2_147_483_647L));
        assertThat(Backoff.exponential(2).delay(Integer.MAX_VALUE, nano, null)).isEqualTo(DAY);
        assertThat(Backoff.fibonacci().delay(Integer.MAX_VALUE, nano, null)).isEqualTo(DAY);
    }

    @Test
    void fibonacciIsExactUntilItSaturates() {
        Duration nano = Duration.ofNanos(1);

        // fib(67) ns are 12.5 h, fib(68) ns are 20.2 h, fib(69) ns would be 32.7 h
        assertThat(Backoff.fibonacci().delay(67, nano, null)).isEqualTo(Duration.ofNanos(44_945_570_212_853L));
        assertThat(Backoff.fibonacci().delay(68, nano, null)).isEqualTo(Duration.ofNanos(72_723_460_248_141L));
        assertThat(Backoff.fibonacci().delay(69, nano, null)).isEqualTo(DAY);
    }

    @ParameterizedTest
    @MethodSource("builtIn")
    void timeDoesNotGrowWithTheRetryNumber(Backoff backoff) {
        Random random = new Random(1);

        assertTimeoutPreemptively(Duration.ofSeconds(60), () -> {
            for (int i = 0; i < 10_000; i++) {
                backoff.delay(Integer.MAX_VALUE - i, SECOND, SECOND, random);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("builtIn")
    void noBaseAndNoPreviousDelayIsTooLong(Backoff backoff) {
        Duration endless = Duration.ofSeconds(Long.MAX_VALUE);

        Duration delay = backoff.delay(2, endless, endless, HIGHEST);

        assertThat(delay).isEqualTo(backoff == Backoff.none() ? Duration.ZERO : DAY);
    }

    @ParameterizedTest
    @MethodSource("builtIn")
    void retryNumbersBelowOneAreRejected(Backoff backoff) {
        for (int retry : new int[] {0, -1, Integer.MIN_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> backoff.delay(retry, SECOND, null))
                    .withMessage("retry is '" + retry + "', but must be at least 1");
        }
    }

    @ParameterizedTest
    @MethodSource("builtIn")
    void negativeDurationsAreRejected(Backoff backoff) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> backoff.delay(1, Duration.ofNanos(-1), null))
                .withMessage("base is '-1ns', but must not be negative");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> backoff.delay(1, SECOND, Duration.ofSeconds(-5)))
                .withMessage("previous is '-5s', but must not be negative");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.999, 0, -2, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void multipliersBelowOneOrNotFiniteAreRejected(double multiplier) {
        String message = "multiplier is '" + multiplier + "', but must be finite and at least 1.0";

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Backoff.exponential(multiplier))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Backoff.polynomial(multiplier))
                .withMessage(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Backoff.requireMultiplier(multiplier))
                .withMessage(message);
    }

    @Test
    void strategiesSayWhatTheyAre() {
        assertThat(builtIn())
                .extracting(Backoff::toString)
                .containsExactly(
                        "none", "fixed", "linear", "exponential(2.0)", "polynomial(2.0)", "fibonacci", "decorrelated");
        assertThat(Backoff.exponential(3).name()).isEqualTo("exponential");
    }

    @Test
    void strategiesHaveNames() {
        assertThat(Backoff.names())
                .containsExactly("decorrelated", "exponential", "fibonacci", "fixed", "linear", "none", "polynomial")
                .isUnmodifiable()
                .allSatisfy(name -> assertThat(Backoff.named(name, 2.0).name()).isEqualTo(name));
        assertThat(Backoff.named("exponential", 3.0)).hasToString("exponential(3.0)");
        assertThat(Backoff.named("polynomial", 4.0)).hasToString("polynomial(4.0)");
        assertThatIllegalArgumentException().isThrownBy(() -> Backoff.named("exponential", 0.5));
        assertThatIllegalArgumentException().isThrownBy(() -> Backoff.named("polynomial", Double.NaN));
        assertThatIllegalArgumentException()
                .as("case counts")
                .isThrownBy(() -> Backoff.named("Fixed", 2.0))
                .withMessageContaining("'Fixed'");
    }
}
