/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.http;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * How long a response's headers ask to wait.
 *
 * <p>{@code Retry-After} (RFC 9110, section 10.2.3) is a number of seconds or a date. Responses with status 429 or 503 may
 * also give the time of the next period of a rate limit, if {@code Retry-After} is missing or unreadable: {@code RateLimit-Reset} is a
 * number of seconds (as in draft-ietf-httpapi-ratelimit-headers up to 07), {@code X-RateLimit-Reset} has no standard and is
 * told by its size. Times of day are compared with the response's own {@code Date}, so that clocks need not agree.
 */
final class RetryAfterHeaders {

    /** Longer than any policy waits; what is beyond is taken as this, so that arithmetic is safe. */
    private static final long LONGEST_SECONDS = Duration.ofDays(36_525).toSeconds();

    /** From here on {@code X-RateLimit-Reset} is a time of day, in seconds: a wait of 31 years, or September 2001. */
    private static final long FIRST_EPOCH_SECOND = 1_000_000_000L;

    /** From here on it is a time of day in milliseconds: the year 33658 in seconds, or September 2001. */
    private static final long FIRST_EPOCH_MILLI = 1_000_000_000_000L;

    private RetryAfterHeaders() {}

    /**
     * Reads the headers of a response.
     *
     * @return the wait, zero if it is over; {@code null} if no header is readable
     */
    static @Nullable Duration read(int status, HttpHeaders headers, Clock clock) {
        Duration wait = retryAfter(headers, clock);
        if (wait != null || (status != 429 && status != 503)) {
            return wait;
        }
        wait = reset(headers, "RateLimit-Remaining", "RateLimit-Reset", clock, false);
        return wait != null ? wait : reset(headers, "X-RateLimit-Remaining", "X-RateLimit-Reset", clock, true);
    }

    private static @Nullable Duration retryAfter(HttpHeaders headers, Clock clock) {
        String text = headers.getFirst(HttpHeaders.RETRY_AFTER);
        if (text == null) {
            return null;
        }
        Long seconds = number(text);
        if (seconds != null) {
            return seconds(seconds);
        }
        Instant date = date(headers, HttpHeaders.RETRY_AFTER);
        return date == null ? null : until(date, headers, clock);
    }

    /** When a limit is reset. Not read if some of it remains, because then the request failed for another reason. */
    private static @Nullable Duration reset(
            HttpHeaders headers, String remainingName, String resetName, Clock clock, boolean mayBeTimeOfDay) {
        String remaining = headers.getFirst(remainingName);
        String text = headers.getFirst(resetName);
        Long reset = text == null ? null : number(text);
        if (reset == null || (remaining != null && !Long.valueOf(0).equals(number(remaining)))) {
            return null;
        }
        if (!mayBeTimeOfDay || reset < FIRST_EPOCH_SECOND) {
            return seconds(reset);
        }
        return until(
                reset < FIRST_EPOCH_MILLI ? Instant.ofEpochSecond(reset) : Instant.ofEpochMilli(reset), headers, clock);
    }

    private static Duration until(Instant date, HttpHeaders headers, Clock clock) {
        Instant sent = date(headers, HttpHeaders.DATE);
        Duration wait = Duration.between(sent != null ? sent : clock.instant(), date);
        return wait.isNegative() ? Duration.ZERO : seconds(wait);
    }

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(Math.min(seconds, LONGEST_SECONDS));
    }

    private static Duration seconds(Duration wait) {
        return wait.toSeconds() < LONGEST_SECONDS ? wait : seconds(LONGEST_SECONDS);
    }

    /** A number without a sign, however large; {@code null} if it is none. */
    private static @Nullable Long number(String text) {
        String trimmed = text.trim();
        if (trimmed.isEmpty() || !trimmed.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return null;
        }
        try {
            return Long.valueOf(trimmed);
        } catch (NumberFormatException ex) {
            return Long.MAX_VALUE;
        }
    }

    private static @Nullable Instant date(HttpHeaders headers, String name) {
        String text = headers.getFirst(name);
        if (text == null) {
            return null;
        }
        HttpHeaders padded = new HttpHeaders();
        // The oldest of the three formats writes days below ten with a second space, which Spring does not read.
        padded.set(name, text.replace("  ", " 0"));
        try {
            long millis = padded.getFirstDate(name);
            return millis < 0 ? null : Instant.ofEpochMilli(millis);
        } catch (IllegalArgumentException ex) {
            return null;
        }
    }
}
