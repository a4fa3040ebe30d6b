// SPDX-License-Identifier: Apache-2.0
package dev.retryon.backoff;

import java.time.Duration;
import java.util.Collections;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The built-in backoff strategies.
 *
 * <pre>{@code
 * RetryPolicy policy = RetryPolicy.builder()
 *     .retryOn(IOException.class)
 *     .delay(Duration.ofMillis(100))
 *     .backoff(Backoff.exponential(3.0)) // 100 ms, 300 ms, 900 ms, ...
 *     .build();
 * }</pre>
 *
 * <p>With base delay {@code d}, multiplier {@code m}, retry number {@code n} and previous
 * delay {@code p}:
 *
 * <table>
 * <caption>Delay before retry n</caption>
 * <tr><th>name</th><th>delay</th></tr>
 * <tr><td>{@code none}</td><td>0</td></tr>
 * <tr><td>{@code fixed}</td><td>d</td></tr>
 * <tr><td>{@code linear}</td><td>d·n</td></tr>
 * <tr><td>{@code exponential}</td><td>d·m^(n−1)</td></tr>
 * <tr><td>{@code polynomial}</td><td>d·n^m</td></tr>
 * <tr><td>{@code fibonacci}</td><td>d·fib(n): 1, 1, 2, 3, 5, 8 …</td></tr>
 * <tr><td>{@code decorrelated}</td><td>uniform in [d, max(d, 3·p)], p starts at d</td></tr>
 * </table>
 *
 * <p>No delay is longer than {@link #LONGEST_DELAY}. A retry number below 1 or a negative base delay causes an {@link
 * IllegalArgumentException}.
 *
 * @since 0.1.0
 */
public abstract sealed class Backoff implements BackoffStrategy {

    /** The longest delay: 24 hours. */
    public static final Duration LONGEST_DELAY = Duration.ofHours(24);

    private static final long LONGEST_NANOS = LONGEST_DELAY.toNanos();

    private final String name;

    private final String text;

    private Backoff(String name, String text) {
        this.name = name;
        this.text = text;
    }

    /** {@return the strategy without delays: a retry follows the failed attempt immediately} */
    public static Backoff none() {
        return BuiltIn.NONE;
    }

    /** {@return the strategy with the same delay before every retry: d, d, d …} */
    public static Backoff fixed() {
        return BuiltIn.FIXED;
    }

    /** {@return the strategy that multiplies the base delay by the retry number: d, 2d, 3d …} */
    public static Backoff linear() {
        return BuiltIn.LINEAR;
    }

    /**
     * {@return the strategy that multiplies the delay by the multiplier for each retry: d, d·m, d·m² …}
     *
     * @param multiplier the multiplier, finite and at least 1.0; 1.0 is the same as {@link #fixed()}
     * @throws IllegalArgumentException if the multiplier is below 1 or not finite
     */
    public static Backoff exponential(double multiplier) {
        // 0 · ∞ is not a number, and a base of 0 always means no delay.
        return new BuiltIn(
                "exponential",
                multiplier,
                (retry, base, previous, random) -> base == 0 ? 0 : saturated(base * Math.pow(multiplier, retry - 1.0)));
    }

    /**
     * {@return the strategy that multiplies the base delay by a power of the retry number: d, d·2^m, d·3^m …} With an
     * exponent of 4, the delays are close to those of Sidekiq.
     *
     * @param exponent the exponent, finite and at least 1.0; 1.0 is the same as {@link #linear()}
     * @throws IllegalArgumentException if the exponent is below 1 or not finite
     */
    public static Backoff polynomial(double exponent) {
        return new BuiltIn(
                "polynomial",
                exponent,
                (retry, base, previous, random) -> base == 0 ? 0 : saturated(base * Math.pow(retry, exponent)));
    }

    /** {@return the strategy that multiplies the base delay by the Fibonacci numbers: d, d, 2d, 3d, 5d, 8d …} */
    public static Backoff fibonacci() {
        return BuiltIn.FIBONACCI;
    }

    /**
     * Returns the strategy with random delays between the base delay and three times the previous delay. The formula
     * is from “Exponential Backoff And Jitter” (Marc Brooker, AWS Architecture Blog, 2015). The delays are already
     * random, so use this strategy without jitter.
     *
     * @return the strategy
     */
    public static Backoff decorrelated() {
        return BuiltIn.DECORRELATED;
    }

    /** {@return the names of all strategies, sorted} */
    public static SortedSet<String> names() {
        return BuiltIn.NAMES;
    }

    /**
     * {@return the strategy with the given name}
     *
     * @param name one of {@link #names()}
     * @param multiplier the multiplier of {@code exponential}, and the exponent of {@code polynomial}
     * @throws IllegalArgumentException if no strategy has this name, or if the strategy uses the multiplier and it is
     *     below 1 or not finite
     */
    public static Backoff named(String name, double multiplier) {
        return switch (name) {
            case "none" -> none();
            case "fixed" -> fixed();
            case "linear" -> linear();
            case "exponential" -> exponential(multiplier);
            case "polynomial" -> polynomial(multiplier);
            case "fibonacci" -> fibonacci();
            case "decorrelated" -> decorrelated();
            default ->
                throw new IllegalArgumentException(
                        "backoff is '" + name + "', but must be one of " + String.join(", ", names()));
        };
    }

    /**
     * Checks that a multiplier is finite and at least 1.
     *
     * @param multiplier the value to check
     * @return the same value
     * @throws IllegalArgumentException if the multiplier is below 1 or not finite
     */
    public static double requireMultiplier(double multiplier) {
        if (!(multiplier >= 1.0) || Double.isInfinite(multiplier)) {
            throw new IllegalArgumentException(
                    "multiplier is '" + multiplier + "', but must be finite and at least 1.0");
        }
        return multiplier;
    }

    /** {@return the name of this strategy in configuration, such as {@code exponential}} */
    public final String name() {
        return name;
    }

    @Override
    public final Duration delay(int retry, Duration base, @Nullable Duration previous) {
        return delay(retry, base, previous, ThreadLocalRandom.current());
    }

    /**
     * {@return the delay before a retry, computed with the given source of random numbers}
     *
     * @param retry the number of the retry, from 1
     * @param base the policy's {@code delay}
     * @param previous the actual delay before the previous retry; {@code null} for retry 1
     * @param random the source of random numbers, which only {@code decorrelated} uses
     * @throws IllegalArgumentException if the retry number is below 1 or a duration is negative
     */
    public final Duration delay(int retry, Duration base, @Nullable Duration previous, RandomGenerator random) {
        if (retry < 1) {
            throw new IllegalArgumentException("retry is '" + retry + "', but must be at least 1");
        }
        long d = nanos(base, "base");
        long p = previous == null ? d : nanos(previous, "previous");
        return Duration.ofNanos(nanos(retry, d, p, random));
    }

    /** The base delay, the previous delay and the result are between zero and 24 hours. */
    abstract long nanos(int retry, long base, long previous, RandomGenerator random);

    @Override
    public String toString() {
        return text;
    }

    /** Converts a duration to nanoseconds. Durations over 24 hours are reduced to 24 hours. */
    static long nanos(Duration duration, String what) {
        Objects.requireNonNull(duration, what);
        if (duration.isNegative()) {
            throw new IllegalArgumentException(
                    what + " is '" + DurationText.print(duration) + "', but must not be negative");
        }
        return Math.min(LONGEST_NANOS, TimeUnit.NANOSECONDS.convert(duration));
    }

    /** A double represents integers exactly up to 2^53 nanoseconds (104 days), so delays up to 24 hours are exact. */
    private static long saturated(double nanos) {
        return Math.round(Math.min((double) LONGEST_NANOS, nanos));
    }

    private interface Formula {

        long nanos(int retry, long base, long previous, RandomGenerator random);
    }

    private static final class BuiltIn extends Backoff {

        private static final SortedSet<String> NAMES = Collections.unmodifiableSortedSet(new TreeSet<>(
                Set.of("none", "fixed", "linear", "exponential", "polynomial", "fibonacci", "decorrelated")));

        private static final Backoff NONE = new BuiltIn("none", (retry, base, previous, random) -> 0);

        private static final Backoff FIXED = new BuiltIn("fixed", (retry, base, previous, random) -> base);

        private static final Backoff LINEAR =
                new BuiltIn("linear", (retry, base, previous, random) -> saturated((double) base * retry));

        /** fib(70) nanoseconds are more than 24 hours, so a longer table is not needed. */
        private static final long[] NUMBERS = new long[70];

        static {
            NUMBERS[0] = 1;
            NUMBERS[1] = 1;
            for (int i = 2; i < NUMBERS.length; i++) {
                NUMBERS[i] = NUMBERS[i - 1] + NUMBERS[i - 2];
            }
        }

        private static final Backoff FIBONACCI = new BuiltIn(
                "fibonacci",
                (retry, base, previous, random) ->
                        saturated((double) base * NUMBERS[Math.min(retry, NUMBERS.length) - 1]));

        private static final Backoff DECORRELATED = new BuiltIn(
                "decorrelated",
                (retry, base, previous, random) ->
                        Jitter.between(base, Math.min(LONGEST_NANOS, Math.max(base, 3 * previous)), random));

        private final Formula formula;

        private BuiltIn(String name, Formula formula) {
            super(name, name);
            this.formula = formula;
        }

        private BuiltIn(String name, double parameter, Formula formula) {
            super(name, name + "(" + requireMultiplier(parameter) + ")");
            this.formula = formula;
        }

        @Override
        long nanos(int retry, long base, long previous, RandomGenerator random) {
            return formula.nanos(retry, base, previous, random);
        }
    }
}
