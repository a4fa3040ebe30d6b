// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;

class RetryAfterHeadersTests {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z"); // 1772366400

    private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);

    private static @Nullable Duration read(int status, String... namesAndValues) {
        HttpHeaders headers = new HttpHeaders();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            headers.add(namesAndValues[i], namesAndValues[i + 1]);
        }
        return RetryAfterHeaders.read(status, headers, CLOCK);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "120 | PT2M",
                "0 | PT0S",
                "\" 7 \" | PT7S",
                "Sun, 01 Mar 2026 12:00:30 GMT | PT30S",
                "Sunday, 01-Mar-26 12:00:30 GMT | PT30S",
                "Sun Mar  1 12:00:30 2026 | PT30S",
                "Sun, 01 Mar 2026 11:59:00 GMT | PT0S",
                "Thu, 01 Jan 1970 00:00:00 GMT | PT0S"
            })
    void readsSecondsAndDates(String value, Duration wait) {
        assertThat(read(503, "Retry-After", value)).isEqualTo(wait);
        assertThat(read(500, "Retry-After", value)).as("with any status").isEqualTo(wait);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "soon", "-5", "+5", "1.5", "1e3", "0x10", "٣", "Someday, 01 Mar", "5 seconds"})
    void garbageIsAbsent(String value) {
        assertThat(read(503, "Retry-After", value)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Fri, 31 Dec 999999999 23:59:59 GMT",
                "Fri, 31 Dec 300000000 23:59:59 GMT",
                "Sunday, 01-Mar-99999999999 12:00:30 GMT"
            })
    void yearsThatOverflowAreAbsent(String date) {
        assertThat(read(503, "Retry-After", date)).isNull();
        assertThat(read(503, "Retry-After", "Sun, 01 Mar 2026 12:00:30 GMT", "Date", date))
                .isEqualTo(Duration.ofSeconds(30));
    }

    @ParameterizedTest
    @ValueSource(strings = {"9223372036854775807", "9223372036854775808", "99999999999999999999999999", "4000000000"})
    void hugeNumbersAreAHundredYears(String value) {
        assertThat(read(503, "Retry-After", value)).isEqualTo(Duration.ofDays(36_525));
        assertThat(read(429, "RateLimit-Reset", value)).isEqualTo(Duration.ofDays(36_525));
        assertThat(read(429, "X-RateLimit-Reset", value)).isBetween(Duration.ofDays(25_000), Duration.ofDays(36_525));
    }

    @Test
    void aFarDateIsAHundredYears() {
        assertThat(read(503, "Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT")).isEqualTo(Duration.ofDays(36_525));
    }

    @Test
    void datesAreComparedWithTheServersClock() {
        assertThat(read(503, "Date", "Sun, 01 Mar 2026 13:30:00 GMT", "Retry-After", "Sun, 01 Mar 2026 13:30:10 GMT"))
                .isEqualTo(Duration.ofSeconds(10));
        assertThat(read(503, "Date", "whenever", "Retry-After", "Sun, 01 Mar 2026 12:00:10 GMT"))
                .isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void readsTheResetOfRateLimits() {
        assertThat(read(429, "RateLimit-Reset", "50")).isEqualTo(Duration.ofSeconds(50));
        assertThat(read(503, "RateLimit-Reset", "50")).isEqualTo(Duration.ofSeconds(50));
        assertThat(read(429, "RateLimit-Reset", "1772366430"))
                .as("always a number of seconds")
                .isEqualTo(Duration.ofSeconds(1_772_366_430L));
    }

    @ParameterizedTest
    @CsvSource({
        "50, PT50S", // a wait
        "999999999, PT277777H46M39S", // the longest wait
        "1000000000, PT0S", // the first that is a time of day, in 2001
        "1772366430, PT30S", // seconds since 1970
        "1000000000000, PT0S", // the first in milliseconds, in 2001 too
        "1772366430500, PT30.5S", // milliseconds since 1970
        "1772366000, PT0S" // over
    })
    void tellsWaitsFromTimesOfDayByTheirSize(String value, Duration wait) {
        assertThat(read(429, "X-RateLimit-Reset", value)).isEqualTo(wait);
    }

    @Test
    void rateLimitsAreOfInterestOnlyWhereTheyWereHit() {
        assertThat(read(502, "X-RateLimit-Reset", "50", "RateLimit-Reset", "50"))
                .as("the status of something else")
                .isNull();
        assertThat(read(503, "X-RateLimit-Remaining", "4999", "X-RateLimit-Reset", "50"))
                .as("a limit of which something remains")
                .isNull();
        assertThat(read(429, "RateLimit-Remaining", "1", "RateLimit-Reset", "50"))
                .isNull();
        assertThat(read(429, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "50"))
                .isEqualTo(Duration.ofSeconds(50));
    }

    @Test
    void retryAfterComesFirstAndGarbageGivesWay() {
        assertThat(read(429, "RateLimit-Reset", "50", "Retry-After", "3")).isEqualTo(Duration.ofSeconds(3));
        assertThat(read(429, "RateLimit-Reset", "50", "Retry-After", "soon")).isEqualTo(Duration.ofSeconds(50));
        assertThat(read(429, "RateLimit-Reset", "soon", "X-RateLimit-Reset", "40"))
                .isEqualTo(Duration.ofSeconds(40));
        assertThat(read(429, "RateLimit-Reset", "30", "X-RateLimit-Reset", "40"))
                .isEqualTo(Duration.ofSeconds(30));
    }

    @ParameterizedTest
    @ValueSource(strings = {"retry-after-ms", "x-ms-retry-after-ms", "x-amz-retry-after"})
    void readsMilliseconds(String header) {
        assertThat(read(500, header, "1500", "Retry-After", "2")).isEqualTo(Duration.ofMillis(1500));
        assertThat(read(500, header, "00:00:01.5", "Retry-After", "2")).isEqualTo(Duration.ofSeconds(2));
        assertThat(read(500, header, "9223372036854775808")).isEqualTo(Duration.ofDays(36_525));
    }

    /** Items as draft-ietf-httpapi-ratelimit-headers has them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "\"default\";r=0;t=30 ~ PT30S",
                "\"default\"; r=0; t=30 ~ PT30S",
                "\"burst\";r=0;t=3, \"daily\";r=0;t=36000 ~ PT10H",
                "\"burst\";r=7;t=3, \"daily\";r=0;t=36000 ~ PT10H",
                "\"default\";r=0;pk=:dHJpYWwxMjEzMjM=:;t=5 ~ PT5S",
                "\"a, \\\"b\\\"; r=9\";r=0;t=4 ~ PT4S",
                "token;r=0;t=6 ~ PT6S",
                "\"default\";r=0;t=99999999999999999999 ~ PT876600H"
            })
    void readsTheRateLimitField(String field, Duration wait) {
        assertThat(read(429, "RateLimit", field)).isEqualTo(wait);
        assertThat(read(429, "RateLimit", field, "RateLimit-Reset", "1", "X-RateLimit-Reset", "1"))
                .as("before older headers")
                .isEqualTo(wait);
        assertThat(read(429, "RateLimit", field, "Retry-After", "2"))
                .as("after Retry-After")
                .isEqualTo(Duration.ofSeconds(2));
        assertThat(read(502, "RateLimit", field)).isNull();
    }

    @Test
    void aRateLimitThatSaysNoTimeLastsForItsWindow() {
        String policies = "\"permin\";q=50;w=60, \"perhr\";q=1000;w=3600";
        assertThat(read(429, "RateLimit", "\"permin\";r=0", "RateLimit-Policy", policies))
                .isEqualTo(Duration.ofMinutes(1));
        assertThat(read(429, "RateLimit", "\"other\";r=0", "RateLimit-Policy", policies))
                .isNull();
        assertThat(read(429, "RateLimit", "\"permin\";r=0", "RateLimit", "\"perhr\";r=0", "RateLimit-Policy", policies))
                .isEqualTo(Duration.ofHours(1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"default\";r=50;t=30",
                "\"default\";t=30",
                "\"default\";r=-1;t=30",
                "\"default\";r=0;t=soon",
                "\"default\";r=0;t=1.5",
                "\"default;r=0;t=30",
                "\"default\" r=0;t=30",
                "\"default\";r=0;t=30;;",
                "limit=100, remaining=0, reset=30",
                "\\",
                ""
            })
    void aRateLimitThatIsNotReachedOrNotReadableIsAbsent(String field) {
        assertThat(read(429, "RateLimit", field)).isNull();
        assertThat(read(429, "RateLimit", field, "RateLimit-Reset", "7")).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void aLongUnreadableFieldIsReadOnce() {
        assertTimeoutPreemptively(
                Duration.ofSeconds(10),
                () -> assertThat(read(429, "RateLimit", "a;b=\"" + "\\\\".repeat(100_000)))
                        .isNull());
    }

    @Test
    void nothingSaidIsNothing() {
        assertThat(read(503)).isNull();
        assertThat(read(429, "X-RateLimit-Reset", "later")).isNull();
    }
}
