/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.backoff;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: {@code 250ms}, {@code 3s}, {@code 5m}, {@code PT0.5S}; a bare number is in ms. */
final class DurationText {

    private static final Pattern SIMPLE = Pattern.compile("(\\d+)(ns|us|ms|s|m|h|d)?");

    private DurationText() {}

    static Duration parse(String text) {
        Matcher simple = SIMPLE.matcher(text.toLowerCase(Locale.ROOT));
        try {
            if (simple.matches()) {
                String unit = simple.group(2);
                return Duration.of(Long.parseLong(simple.group(1)), unit == null ? ChronoUnit.MILLIS : unit(unit));
            }
            return Duration.parse(text);
        } catch (DateTimeParseException | ArithmeticException ex) {
            throw new NumberFormatException("'" + text + "' is not a duration");
        }
    }

    static String print(Duration duration) {
        long nanos = duration.toNanos();
        for (ChronoUnit unit : new ChronoUnit[] {ChronoUnit.SECONDS, ChronoUnit.MILLIS, ChronoUnit.MICROS}) {
            long size = unit.getDuration().toNanos();
            if (nanos % size == 0) {
                return nanos / size + suffix(unit);
            }
        }
        return nanos + "ns";
    }

    private static String suffix(ChronoUnit unit) {
        return unit == ChronoUnit.SECONDS ? "s" : unit == ChronoUnit.MILLIS ? "ms" : "us";
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
