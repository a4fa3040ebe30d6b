// SPDX-License-Identifier: Apache-2.0
package dev.retryon.backoff;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Spreads delays at random, which prevents callers that fail at the same time from retrying at the same time.
 *
 * <pre>{@code
 * RetryPolicy policy = RetryPolicy.builder()
 *     .retryOn(IOException.class)
 *     .delay(Duration.ofSeconds(1))
 *     .jitter(Jitter.full()) // the same as Jitter.parse("full")
 *     .build();
 * }</pre>
 *
 * <table>
 * <caption>Result for a delay x</caption>
 * <tr><th>text</th><th>result</th></tr>
 * <tr><td>{@code none}</td><td>x</td></tr>
 * <tr><td>{@code full}</td><td>uniform in [0, x]</td></tr>
 * <tr><td>{@code half}</td><td>uniform in [x/2, x]</td></tr>
 * <tr><td>{@code bounded}</td><td>uniform in [x, 2x]</td></tr>
 * <tr><td>{@code 50%}</td><td>uniform in [x·(1−p), x·(1+p)), here with p = 0.5</td></tr>
 * <tr><td>{@code +3s}</td><td>x + uniform in [0, 3 s]</td></tr>
 * </table>
 *
 * <p>A delay of zero stays zero. No result is longer than {@link Backoff#LONGEST_DELAY}. Instances are immutable, and
 * are equal if they have the same effect. {@link #toString()} returns the text that {@link #parse(String)} reads.
 *
 * @since 0.1.0
 */
public final class Jitter {

    private static final long LONGEST_NANOS = Backoff.LONGEST_DELAY.toNanos();

    private static final long SECOND = 1_000_000_000;

    private static final Pattern PERCENTAGE = Pattern.compile("(\\d+(?:\\.\\d+)?)%");

    private static final Pattern ADDITION = Pattern.compile("\\+[^+\\-\\s].*");

    private static final Jitter NONE = new Jitter("none", 1, 1, 0);

    private static final Jitter FULL = new Jitter("full", 0, 1, 0);

    private static final Jitter HALF = new Jitter("half", 0.5, 1, 0);

    private static final Jitter BOUNDED = new Jitter("bounded", 1, 2, 0);

    private final String text;

    /** The result for a delay x is between x · lowest and x · highest + added. */
    private final double lowest;

    private final double highest;

    private final long added;

    private Jitter(String text, double lowest, double highest, long added) {
        this.text = text;
        this.lowest = lowest;
        this.highest = highest;
        this.added = added;
    }

    /** {@return no jitter, which leaves delays unchanged} */
    public static Jitter none() {
        return NONE;
    }

    /**
     * {@return a uniform jitter between zero and the delay} With exponential backoff, this is the “full jitter” of AWS.
     */
    public static Jitter full() {
        return FULL;
    }

    /**
     * {@return a uniform jitter between half the delay and the delay} With exponential backoff, this is the “equal
     * jitter” of AWS.
     */
    public static Jitter half() {
        return HALF;
    }

    /** {@return a uniform jitter between the delay and twice the delay} */
    public static Jitter bounded() {
        return BOUNDED;
    }

    /**
     * {@return a uniform jitter around the delay: from {@code x·(1−share)}, inclusive, to {@code x·(1+share)},
     * exclusive}
     *
     * @param share the share, from 0.0 (no jitter) to 1.0 (from zero to twice the delay)
     * @throws IllegalArgumentException if the share is negative, above 1.0 or not a number
     */
    public static Jitter proportional(double share) {
        if (!(share >= 0.0 && share <= 1.0)) {
            throw new IllegalArgumentException("jitter is '" + percent(share) + "', but must be between 0% and 100%");
        }
        return new Jitter(percent(share), 1 - share, 1 + share, 0);
    }

    /**
     * {@return a jitter that adds a uniform duration between zero and the given duration}
     *
     * @param longest the longest duration to add, zero or more; values above 24 hours are reduced to 24 hours
     * @throws IllegalArgumentException if the duration is negative
     */
    public static Jitter additive(Duration longest) {
        Objects.requireNonNull(longest, "longest");
        if (longest.isNegative()) {
            throw new IllegalArgumentException(
                    "jitter is '+" + DurationText.print(longest) + "', but must not be negative");
        }
        long nanos = Backoff.nanos(longest, "longest");
        return new Jitter(
                "+" + (nanos % SECOND == 0 ? nanos / SECOND + "s" : DurationText.print(Duration.ofNanos(nanos))),
                1,
                1,
                nanos);
    }

    /**
     * Reads a jitter from the text of an annotation or property.
     *
     * @param text one of {@code none}, {@code full}, {@code half}, {@code bounded}, a percentage such as {@code 50%} or
     *     {@code 12.5%}, or a plus sign and a duration such as {@code +3s}, {@code +250ms} or {@code +PT3S}
     * @return the jitter
     * @throws IllegalArgumentException if the text has none of these forms, or the percentage exceeds 100
     */
    public static Jitter parse(String text) {
        String trimmed = text.trim();
        return switch (trimmed) {
            case "none" -> NONE;
            case "full" -> FULL;
            case "half" -> HALF;
            case "bounded" -> BOUNDED;
            default -> parseAmount(trimmed);
        };
    }

    private static Jitter parseAmount(String text) {
        try {
            Matcher percentage = PERCENTAGE.matcher(text);
            if (percentage.matches()) {
                return proportional(
                        new BigDecimal(percentage.group(1)).movePointLeft(2).doubleValue());
            }
            if (ADDITION.matcher(text).matches()) {
                return additive(DurationText.parse(text.substring(1)));
            }
        } catch (NumberFormatException ex) {
            throw unreadable(text, ex);
        }
        throw unreadable(text, null);
    }

    private static IllegalArgumentException unreadable(String text, @Nullable Exception cause) {
        return new IllegalArgumentException(
                "jitter is '" + text
                        + "', but must be none, full, half, bounded, a percentage such as 50%, or an added duration"
                        + " such as +3s",
                cause);
    }

    /**
     * Applies this jitter to a delay.
     *
     * @param delay the delay, not negative
     * @param random the source of random numbers
     * @return the new delay, at most {@link Backoff#LONGEST_DELAY}; zero if the delay is zero
     */
    public Duration apply(Duration delay, RandomGenerator random) {
        long nanos = Backoff.nanos(delay, "delay");
        if (nanos == 0 || (lowest == highest && added == 0)) {
            return Duration.ofNanos(nanos);
        }
        long from = shortest(nanos);
        // A percentage excludes its upper bound; the other kinds include it.
        long to = lowest < 1 && highest > 1 ? Math.max(from, longest(nanos) - 1) : longest(nanos);
        return Duration.ofNanos(between(from, to, random));
    }

    /**
     * {@return the shortest result for a delay}
     *
     * @param delay the delay, not negative
     */
    public Duration shortest(Duration delay) {
        return Duration.ofNanos(shortest(Backoff.nanos(delay, "delay")));
    }

    /**
     * {@return the longest result for a delay, at most {@link Backoff#LONGEST_DELAY}} For a percentage, this bound is
     * exclusive.
     *
     * @param delay the delay, not negative
     */
    public Duration longest(Duration delay) {
        return Duration.ofNanos(longest(Backoff.nanos(delay, "delay")));
    }

    private long shortest(long delay) {
        return (long) Math.ceil(delay * lowest);
    }

    private long longest(long delay) {
        return delay == 0 ? 0 : (long) Math.min((double) LONGEST_NANOS, delay * highest + added);
    }

    /** Returns a uniform value in [from, to], both inclusive and at most 24 hours. */
    static long between(long from, long to, RandomGenerator random) {
        // Not nextLong(origin, bound): with a source that always returns the same number, it may never end.
        return Math.min(to, from + (long) (random.nextDouble() * (to - from + 1)));
    }

    /** Prints a share as a text from which {@link #parse} returns the same share. */
    private static String percent(double share) {
        return Double.isFinite(share)
                ? BigDecimal.valueOf(share)
                                .movePointRight(2)
                                .stripTrailingZeros()
                                .toPlainString() + "%"
                : String.valueOf(share);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Jitter that && lowest == that.lowest && highest == that.highest && added == that.added;
    }

    @Override
    public int hashCode() {
        return Objects.hash(lowest, highest, added);
    }

    @Override
    public String toString() {
        return text;
    }
}
