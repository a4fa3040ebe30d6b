// SPDX-License-Identifier: Apache-2.0
package dev.retryon.backoff;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads and prints durations such as {@code 250ms}, {@code 3s}, {@code 0.5s} and {@code PT0.5S}.
 *
 * @since 0.1.0
 */
public final class DurationText {

    private static final Pattern SIMPLE = Pattern.compile("([+-]?\\d+|[+-]?\\d*\\.\\d+(?=[a-z]))(ns|us|ms|s|m|h|d)?");

    private static final String[] SUFFIXES = {"h", "m", "s", "ms", "us", "ns"};

    private static final long SECOND = 1_000_000_000;

    private DurationText() {}

    /**
     * Reads a duration from a text.
     *
     * @param text a number with a unit in upper or lower case (ns, us, ms, s, m, h or d), a whole number of
     *     milliseconds, or a duration in ISO 8601 format
     * @return the duration, which can be negative
     * @throws IllegalArgumentException if the text has none of these formats, or is not a whole number of nanoseconds
     */
    public static Duration parse(String text) {
        String trimmed = text.trim();
        Matcher simple = SIMPLE.matcher(trimmed.toLowerCase(Locale.ROOT));
        try {
            if (simple.matches()) {
                String unit = simple.group(2);
                Duration one = (unit == null ? ChronoUnit.MILLIS : unit(unit)).getDuration();
                BigInteger[] parts = new BigDecimal(simple.group(1))
                        .multiply(BigDecimal.valueOf(one.getSeconds()).add(BigDecimal.valueOf(one.getNano(), 9)))
                        .movePointRight(9)
                        .toBigIntegerExact()
                        .divideAndRemainder(BigInteger.valueOf(SECOND));
                return Duration.ofSeconds(parts[0].longValueExact(), parts[1].longValueExact());
            }
            return Duration.parse(trimmed);
        } catch (DateTimeParseException | ArithmeticException ex) {
            throw new NumberFormatException(
                    "'" + text + "' is not a duration; use a value such as 250ms, 3s or PT0.5S");
        }
    }

    /**
     * Prints a duration as a whole number in the largest possible unit.
     *
     * @param duration the duration
     * @return the text, such as {@code 1ms}, {@code 90s} or {@code 5m}
     */
    public static String print(Duration duration) {
        if (duration.isZero()) {
            return "0s";
        }
        BigInteger nanos = BigInteger.valueOf(duration.getSeconds())
                .multiply(BigInteger.valueOf(SECOND))
                .add(BigInteger.valueOf(duration.getNano()));
        for (String suffix : SUFFIXES) {
            BigInteger size = BigInteger.valueOf(unit(suffix).getDuration().toNanos());
            BigInteger[] parts = nanos.divideAndRemainder(size);
            if (parts[1].signum() == 0) {
                return parts[0] + suffix;
            }
        }
        return duration.toString();
    }

    private static ChronoUnit unit(String suffix) {
        return switch (suffix) {
            case "ns" -> ChronoUnit.NANOS;
            case "us" -> ChronoUnit.MICROS;
            case "ms" -> ChronoUnit.MILLIS;
            case "s" -> ChronoUnit.SECONDS;
            case "m" -> ChronoUnit.MINUTES;
            case "h" -> ChronoUnit.HOURS;
            default -> ChronoUnit.DAYS;
        };
    }
}
