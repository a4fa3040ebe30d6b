// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.Mockito.mock;

import dev.retryon.Retry;
import dev.retryon.RetryContext;
import dev.retryon.RetryHint;
import dev.retryon.RetryHintResolver;
import dev.retryon.RetryPolicy;
import io.netty.handler.timeout.ReadTimeoutException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.reactive.function.client.WebClientResponseException;

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
                .withMessage("'statuses' contains '" + status + "', but must contain only numbers from 100 to 599");
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
    void aNameIsAllThatChangesWhereItIsTheSameForAnotherClient() {
        HttpRetry catalogue = builder.name(" catalogue ")
                .methods(List.of(HttpMethod.POST))
                .statuses(List.of(503))
                .policy(RetryPolicy.builder().maxAttempts(5).build())
                .build();
        HttpRetry shop = catalogue.named("shop");

        assertThat(catalogue.name()).isEqualTo("http catalogue");
        assertThat(catalogue).asString().contains("http catalogue", "[POST]", "[503]");
        assertThat(shop.name()).isEqualTo("http shop");
        assertThat(shop.methods()).containsExactly(HttpMethod.POST);
        assertThat(shop.statuses()).containsExactly(503);
        assertThat(shop.policy().maxAttempts()).isEqualTo(5);
        assertThat(catalogue.named(" ").name()).isEqualTo("http");
    }

    @Test
    void theTimeoutsOfNettyAreRetriedToo() {
        RetryPolicy atOnce = RetryPolicy.builder().delay(Duration.ZERO).build();
        Retry retry = Retry.of("http", builder.policy(atOnce).build().policy());

        assertThat(retry.capture(() -> {
                            throw ReadTimeoutException.INSTANCE;
                        })
                        .attempts())
                .isEqualTo(3);
    }

    @Test
    void readsTheWaitFromTheErrorsOfAllClients() {
        RetryHintResolver resolver =
                HttpRetry.hintResolver(Clock.fixed(Instant.parse("2026-03-01T12:00:00Z"), ZoneOffset.UTC));
        HttpHeaders headers = new HttpHeaders();
        headers.set(HttpHeaders.RETRY_AFTER, "Sun, 01 Mar 2026 12:00:07 GMT");

        assertThat(requestedBy(
                        resolver,
                        HttpServerErrorException.create(
                                HttpStatus.SERVICE_UNAVAILABLE, "", headers, new byte[0], null)))
                .isEqualTo(Duration.ofSeconds(7));
        assertThat(requestedBy(resolver, WebClientResponseException.create(503, "", headers, new byte[0], null)))
                .isEqualTo(Duration.ofSeconds(7));
        assertThat(requestedBy(resolver, new HttpServerErrorException(HttpStatus.SERVICE_UNAVAILABLE)))
                .as("no headers")
                .isNull();
        assertThat(requestedBy(resolver, new IllegalStateException())).isNull();
    }

    private static @Nullable Duration requestedBy(RetryHintResolver resolver, Throwable error) {
        RetryHint hint = resolver.resolve(error, mock(RetryContext.class));
        return hint == null ? null : hint.retryAfter();
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

        assertThat(new ConnectionRelease(unlimited).longest(elapsed, delay)).isEqualTo(Duration.ofMillis(500));
        assertThat(new ConnectionRelease(shortAttempts).longest(elapsed, delay)).isEqualTo(Duration.ofMillis(50));
        assertThat(new ConnectionRelease(limited).longest(elapsed, delay))
                .isEqualTo(Duration.ofMillis(100)); // 100 = 3000 - 1900 - 1000
        assertThat(new ConnectionRelease(limited).longest(Duration.ofSeconds(3), delay))
                .isNegative();
    }
}
