// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * Reads the wait that the headers of a response request.
 *
 * <p>{@code Retry-After} (RFC 9110, section 10.2.3) is a number of seconds or a date. The millisecond headers of Azure, AWS
 * and others are more precise and take precedence. If none of these headers is readable, responses with status 429 or 503
 * can also contain the time when a rate limit allows requests again: {@code RateLimit} is read by {@link RateLimitFields},
 * {@code RateLimit-Reset} is a number of seconds (draft-ietf-httpapi-ratelimit-headers up to 06), {@code X-RateLimit-Reset}
 * follows no standard, so its size determines its meaning. Times of day are compared with the response's own {@code Date},
 * so that clocks can differ.
 */
final class RetryAfterHeaders {

    /** A hundred years. Longer times are reduced to this value to make arithmetic safe. */
    private static final long LONGEST_SECONDS = Duration.ofDays(36_525).toSeconds();

    /** From this value on, {@code X-RateLimit-Reset} is a time of day, in seconds: a wait of 31 years, or September 2001. */
    private static final long FIRST_EPOCH_SECOND = 1_000_000_000L;

    /** From this value on, {@code X-RateLimit-Reset} is a time of day in milliseconds: the year 33658, or September 2001. */
    private static final long FIRST_EPOCH_MILLI = 1_000_000_000_000L;

    private static final List<String> MILLISECONDS =
            List.of("retry-after-ms", "x-ms-retry-after-ms", "x-amz-retry-after");

    private RetryAfterHeaders() {}

    /** Returns the requested wait, zero if it is over; {@code null} if no header is readable. */
    static @Nullable Duration read(int status, HttpHeaders headers, Clock clock) {
        Duration wait = milliseconds(headers);
        if (wait == null) {
            wait = retryAfter(headers, clock);
        }
        if (wait != null || (status != 429 && status != 503)) {
            return wait;
        }
        Long seconds = RateLimitFields.reset(headers);
        if (seconds != null) {
            return seconds(seconds);
        }
        wait = reset(headers, "RateLimit-Remaining", "RateLimit-Reset", clock, false);
        return wait != null ? wait : reset(headers, "X-RateLimit-Remaining", "X-RateLimit-Reset", clock, true);
    }

    private static @Nullable Duration milliseconds(HttpHeaders headers) {
        for (String name : MILLISECONDS) {
            Long millis = number(headers.getFirst(name));
            if (millis != null) {
                return seconds(Duration.ofMillis(millis));
            }
        }
        return null;
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

    /** Returns the time until a limit is reset. If the limit is not used up, the request failed for another reason. */
    private static @Nullable Duration reset(
            HttpHeaders headers, String remainingName, String resetName, Clock clock, boolean mayBeTimeOfDay) {
        String remaining = headers.getFirst(remainingName);
        String text = headers.getFirst(resetName);
        Long reset = number(text);
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

    /** Returns a number without a sign, however large, or {@code null} if the text is no such number. */
    static @Nullable Long number(@Nullable String text) {
        String trimmed = text == null ? "" : text.trim();
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
        } catch (IllegalArgumentException | ArithmeticException ex) {
            return null; // not a date, or one whose milliseconds overflow
        }
    }
}
