/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.retryon.RetryPolicy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpRetryTests {

    private final HttpRetry.Builder builder = HttpRetry.builder();

    @Test
    void takesTheStatusesThatHttpHas() {
        assertThat(builder.statuses(List.of(100, 599)).build().statuses()).containsExactly(100, 599);
        assertThat(builder.statuses(List.of()).build().statuses()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 99, 600})
    void rejectsOtherStatuses(int status) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.statuses(List.of(503, status)))
                .withMessage("statuses has '" + status + "', but must have only numbers from 100 to 599");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Idempotency Key", "Idempotency-Key:", "Schlüssel"})
    void rejectsWhatNoHeaderIsCalled(String header) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.idempotencyKeyHeader(header))
                .withMessage("idempotencyKeyHeader is '" + header
                        + "', but must be the name of a header such as Idempotency-Key");
    }

    @Test
    void aBlankHeaderIsNone() {
        assertThat(builder.idempotencyKeyHeader(" ").build().idempotencyKeyHeader())
                .isNull();
        assertThat(builder.idempotencyKeyHeader(" x-key ").build().idempotencyKeyHeader())
                .isEqualTo("x-key");
    }

    @Test
    void aRefusedResponseIsReadInTheTimeThatThePolicyLeaves() {
        RetryPolicy unlimited = RetryPolicy.builder().build();
        RetryPolicy shortAttempts =
                unlimited.toBuilder().attemptTimeout(Duration.ofMillis(50)).build();
        RetryPolicy limited =
                unlimited.toBuilder().timeout(Duration.ofSeconds(3)).build();
        Duration elapsed = Duration.ofMillis(1_900);
        Duration delay = Duration.ofSeconds(1);

        assertThat(new ConnectionRelease(unlimited, null).longest(elapsed, delay))
                .isEqualTo(Duration.ofMillis(500));
        assertThat(new ConnectionRelease(shortAttempts, null).longest(elapsed, delay))
                .isEqualTo(Duration.ofMillis(50));
        assertThat(new ConnectionRelease(limited, null).longest(elapsed, delay))
                .isEqualTo(Duration.ofMillis(100)); // 100 = 3000 - 1900 - 1000
        assertThat(new ConnectionRelease(limited, null).longest(Duration.ofSeconds(3), delay))
                .isNegative();
    }
}
