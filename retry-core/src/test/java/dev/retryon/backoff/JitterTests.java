// SPDX-License-Identifier: Apache-2.0
package dev.retryon.backoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of jitters, row by row, and the texts in which people write them. */
class JitterTests {

    private static final RandomGenerator LOWEST = () -> 0L;

    private static final RandomGenerator HIGHEST = () -> -1L;

    private static final Duration DAY = Duration.ofHours(24);

    @ParameterizedTest(name = "{0} makes of 10 s {1} … {2} ns")
    @CsvSource({
        "none,    10_000_000_000, 10_000_000_000",
        "full,                 0, 10_000_000_000",
        "half,     5_000_000_000, 10_000_000_000",
        "bounded, 10_000_000_000, 20_000_000_000",
        // a percentage excludes its upper bound: 15 s − 1 ns
        "50%,      5_000_000_000, 14_999_999_999",
        "12.5%,    8_750_000_000, 11_249_999_999",
        "10%,      9_000_000_000, 10_999_999_999",
        "100%,                 0, 19_999_999_999",
        "0%,      10_000_000_000, 10_000_000_000",
        "+3s,     10_000_000_000, 13_000_000_000",
        "+0s,     10_000_000_000, 10_000_000_000",
    })
    void boundsFollowTheTable(String text, String shortest, String longest) {
        Jitter jitter = Jitter.parse(text);
        Duration tenSeconds = Duration.ofSeconds(10);

        assertThat(jitter.apply(tenSeconds, LOWEST)).isEqualTo(nanos(shortest));
        assertThat(jitter.apply(tenSeconds, HIGHEST)).isEqualTo(nanos(longest));
        assertThat(jitter.shortest(tenSeconds)).isEqualTo(nanos(shortest));
        // What longest() tells of a percentage is the bound that is never reached.
        boolean excluded = text.endsWith("%") && !text.equals("0%");
        assertThat(jitter.longest(tenSeconds)).isEqualTo(nanos(longest).plusNanos(excluded ? 1 : 0));
    }

    private static Duration nanos(String text) {
        return Duration.ofNanos(Long.parseLong(text.replace("_", "")));
    }

    @ParameterizedTest
    @CsvSource({
        // jitter, ns, shortest, longest: 1.5 is rounded up, so that nothing is shorter than half
        "half,    3, 2, 3",
        "half,    1, 1, 1",
        "full,    1, 0, 1",
        "bounded, 1, 1, 2",
        // [0.5, 1.5) holds one whole number
        "50%,     1, 1, 1",
        "50%,     3, 2, 3",
    })
    void boundsHoldDownToTheNanosecond(String text, long delay, long shortest, long longest) {
        assertThat(Jitter.parse(text).apply(Duration.ofNanos(delay), LOWEST)).isEqualTo(Duration.ofNanos(shortest));
        assertThat(Jitter.parse(text).apply(Duration.ofNanos(delay), HIGHEST)).isEqualTo(Duration.ofNanos(longest));
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "full", "half", "bounded", "50%", "100%", "+3s"})
    void zeroStaysZero(String text) {
        Jitter jitter = Jitter.parse(text);

        assertThat(jitter.apply(Duration.ZERO, HIGHEST)).isZero();
        assertThat(jitter.shortest(Duration.ZERO)).isZero();
        assertThat(jitter.longest(Duration.ZERO)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "full", "half", "bounded", "50%", "100%", "+3s", "+24h"})
    void nothingIsLongerThanADay(String text) {
        for (Duration delay : new Duration[] {DAY, DAY.plusNanos(1), Duration.ofSeconds(Long.MAX_VALUE)}) {
            assertThat(Jitter.parse(text).apply(delay, HIGHEST)).isLessThanOrEqualTo(DAY);
            assertThat(Jitter.parse(text).longest(delay)).isEqualTo(DAY);
        }
        // 20 h + 20 h, 20 h + 24 h
        assertThat(Jitter.bounded().apply(Duration.ofHours(20), HIGHEST)).isEqualTo(DAY);
        assertThat(Jitter.additive(DAY).apply(Duration.ofHours(20), HIGHEST)).isEqualTo(DAY);
    }

    @Test
    void negativeDelaysAreRejected() {
        Duration negative = Duration.ofMillis(-1);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Jitter.full().apply(negative, LOWEST))
                .withMessage("delay is '-1ms', but must not be negative");
        assertThatIllegalArgumentException().isThrownBy(() -> Jitter.full().shortest(negative));
        assertThatIllegalArgumentException().isThrownBy(() -> Jitter.full().longest(negative));
    }

    @Test
    void textsNameTheFactories() {
        assertThat(Jitter.parse("none")).isSameAs(Jitter.none());
        assertThat(Jitter.parse("full")).isSameAs(Jitter.full());
        assertThat(Jitter.parse("half")).isSameAs(Jitter.half());
        assertThat(Jitter.parse(" bounded ")).isSameAs(Jitter.bounded());
        assertThat(Jitter.parse("50%")).isEqualTo(Jitter.proportional(0.5));
        assertThat(Jitter.parse("12.5%")).isEqualTo(Jitter.proportional(0.125));
        assertThat(Jitter.parse("100.0%")).isEqualTo(Jitter.proportional(1));
        assertThat(Jitter.parse("+3s")).isEqualTo(Jitter.additive(Duration.ofSeconds(3)));
        assertThat(Jitter.parse("+PT3S")).isEqualTo(Jitter.additive(Duration.ofSeconds(3)));
        assertThat(Jitter.parse("+250ms")).isEqualTo(Jitter.additive(Duration.ofMillis(250)));
        assertThat(Jitter.parse("+250"))
                .as("a bare number is in milliseconds")
                .isEqualTo(Jitter.additive(Duration.ofMillis(250)));
        assertThat(Jitter.parse("+7us")).isEqualTo(Jitter.additive(Duration.ofNanos(7_000)));
        assertThat(Jitter.parse("+7NS")).isEqualTo(Jitter.additive(Duration.ofNanos(7)));
        assertThat(Jitter.parse("+2m")).isEqualTo(Jitter.additive(Duration.ofMinutes(2)));
        assertThat(Jitter.parse("+1h")).isEqualTo(Jitter.additive(Duration.ofHours(1)));
        assertThat(Jitter.parse("+1d")).isEqualTo(Jitter.additive(DAY));
        assertThat(Jitter.parse("+48h")).as("more than a day counts as a day").isEqualTo(Jitter.additive(DAY));
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "full", "half", "bounded", "0%", "0.001%", "7%", "12.5%", "33.3%", "50%", "100%"})
    void percentagesAndNamesAreTheirOwnText(String text) {
        assertThat(Jitter.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @CsvSource({
        "+3s, +3s",
        "+90s, +90s",
        "+PT2M, +120s",
        "+1500ms, +1500ms",
        "+250000us, +250ms",
        "+7us, +7us",
        "+1001ns, +1001ns",
        "+0ms, +0s",
        "+2d, +86400s"
    })
    void additionsAreToldInTheLargestUnitThatFits(String text, String told) {
        assertThat(Jitter.parse(text)).hasToString(told);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 1e-12, 1e-9, 0.0001, 0.07, 0.1, 1 / 3d, 0.29, 0.57, 2 / 3d, 0.999999999999, 1})
    void everyShareSurvivesBeingWrittenAndRead(double share) {
        Jitter jitter = Jitter.proportional(share);

        assertThat(Jitter.parse(jitter.toString())).isEqualTo(jitter).hasSameHashCodeAs(jitter);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 999, 1_000, 1_000_001, 3_000_000_000L, 86_400_000_000_000L})
    void everyAdditionSurvivesBeingWrittenAndRead(long nanos) {
        Jitter jitter = Jitter.additive(Duration.ofNanos(nanos));

        assertThat(Jitter.parse(jitter.toString())).isEqualTo(jitter).hasSameHashCodeAs(jitter);
    }

    @Test
    void jittersAreEqualWhenTheySayTheSame() {
        assertThat(Jitter.proportional(0.5)).isEqualTo(Jitter.proportional(0.5)).isNotEqualTo(Jitter.proportional(0.4));
        assertThat(Jitter.additive(Duration.ofSeconds(1))).isNotEqualTo(Jitter.additive(Duration.ofSeconds(2)));
        assertThat(Jitter.full()).isNotEqualTo(Jitter.half()).isNotEqualTo("full");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "%",
                "+",
                "some",
                "50",
                "3s",
                "50 percent",
                "-5%",
                "NaN%",
                "Infinity%",
                "0x10%",
                "50d%",
                "5e1%",
                "5.%",
                "+-3s",
                "++3s",
                "+3x",
                "+ 3s",
                "+PT",
                "+99999999999999999999s",
                "+9223372036854775807d"
            })
    void textsThatSayNothingAreRejected(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Jitter.parse(text))
                .withMessage("jitter is '" + text.trim()
                        + "', but must be none, full, half, bounded, a percentage such as 50%, or an added"
                        + " duration such as +3s");
    }

    @Test
    void amountsOutOfRangeAreRejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Jitter.parse("101%"))
                .withMessage("jitter is '101%', but must be between 0% and 100%");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Jitter.parse("100.5%"))
                .withMessage("jitter is '100.5%', but must be between 0% and 100%");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Jitter.proportional(-0.1))
                .withMessage("jitter is '-10%', but must be between 0% and 100%");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Jitter.proportional(Double.NaN))
                .withMessageContaining("between 0% and 100%");
        assertThatIllegalArgumentException().isThrownBy(() -> Jitter.proportional(Double.POSITIVE_INFINITY));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Jitter.parse("+PT-3S"))
                .withMessage("jitter is '+-3s', but must not be negative");
        assertThatIllegalArgumentException().isThrownBy(() -> Jitter.additive(Duration.ofNanos(-1)));
    }

    @Test
    void differentJittersAreToldApartByTheirHash() {
        assertThat(Jitter.parse("10%")).hasSameHashCodeAs(Jitter.parse("10%"));
        assertThat(Stream.of("none", "full", "half", "bounded", "10%", "20%", "+3s")
                        .map(text -> Jitter.parse(text).hashCode()))
                .doesNotHaveDuplicates();
    }
}
