// SPDX-License-Identifier: Apache-2.0
package dev.retryon.backoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** That whatever draws at random draws evenly: 100 000 draws from a fixed seed. */
class RandomSpreadTests {

    private static final int DRAWS = 100_000;

    private static final int BUCKETS = 10;

    private final RandomGenerator random = new SplittableRandom(20_260_101);

    @ParameterizedTest(name = "{0} spreads 10 s evenly over {1} … {2} ms")
    @CsvSource({
        "full,        0, 10000",
        "half,     5000, 10000",
        "bounded, 10000, 20000",
        "50%,      5000, 15000",
        "10%,      9000, 11000",
        "100%,        0, 20000",
        "+3s,     10000, 13000",
    })
    void jitterIsUniform(String text, long lowestMillis, long highestMillis) {
        Jitter jitter = Jitter.parse(text);

        assertUniform(
                () -> jitter.apply(Duration.ofSeconds(10), random).toNanos(),
                Duration.ofMillis(lowestMillis),
                Duration.ofMillis(highestMillis));
    }

    @Test
    void decorrelatedIsUniformBetweenTheBaseAndThreeTimesThePreviousDelay() {
        // from d = 2 s to 3 · 4 s
        assertUniform(
                () -> Backoff.decorrelated()
                        .delay(5, Duration.ofSeconds(2), Duration.ofSeconds(4), random)
                        .toNanos(),
                Duration.ofSeconds(2),
                Duration.ofSeconds(12));
    }

    @Test
    void decorrelatedStartsFromTheBase() {
        // from d = 2 s to 3 · 2 s
        assertUniform(
                () -> Backoff.decorrelated()
                        .delay(1, Duration.ofSeconds(2), null, random)
                        .toNanos(),
                Duration.ofSeconds(2),
                Duration.ofSeconds(6));
    }

    @Test
    void aChainOfDecorrelatedDelaysStaysWithinItsBounds() {
        Duration base = Duration.ofMillis(10);
        Duration previous = base;
        for (int retry = 1; retry <= DRAWS; retry++) {
            Duration highest = previous.multipliedBy(3).compareTo(Duration.ofHours(24)) > 0
                    ? Duration.ofHours(24)
                    : previous.multipliedBy(3);

            Duration delay = Backoff.decorrelated().delay(retry, base, retry == 1 ? null : previous, random);

            assertThat(delay).isBetween(base, highest);
            previous = delay;
        }
    }

    private static void assertUniform(LongSupplier draw, Duration lowest, Duration highest) {
        long from = lowest.toNanos();
        long width = highest.toNanos() - from;
        int[] buckets = new int[BUCKETS];
        double sum = 0;
        for (int i = 0; i < DRAWS; i++) {
            long nanos = draw.getAsLong();
            assertThat(nanos).isBetween(from, from + width);
            buckets[(int) Math.min(BUCKETS - 1, (nanos - from) * BUCKETS / width)]++;
            sum += nanos;
        }
        // The mean's standard deviation is width / √12 / √100 000 = 0.0009 · width; five of them are allowed.
        assertThat(sum / DRAWS).isCloseTo(from + width / 2.0, within(0.0046 * width));
        // A bucket's is √(100 000 · 0.1 · 0.9) = 95; five of them are allowed.
        for (int count : buckets) {
            assertThat(count).isCloseTo(DRAWS / BUCKETS, within(475));
        }
    }
}
