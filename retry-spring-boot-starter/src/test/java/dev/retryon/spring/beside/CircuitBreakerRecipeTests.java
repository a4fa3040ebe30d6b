// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.beside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.acme.orders.PriceService;
import dev.retryon.RetryResult;
import dev.retryon.StopReason;
import dev.retryon.spring.Retries;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.springboot.circuitbreaker.autoconfigure.CircuitBreakerAutoConfiguration;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The recipe of docs/limits.md with the real Resilience4j: retry outside, breaker inside, one fallback for both. */
class CircuitBreakerRecipeTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class, CircuitBreakerAutoConfiguration.class, RetryAutoConfiguration.class))
            .withUserConfiguration(Shop.class)
            .withPropertyValues(
                    "retryon.defaults.backoff=none",
                    "resilience4j.circuitbreaker.instances.catalogue.sliding-window-size=5",
                    "resilience4j.circuitbreaker.instances.catalogue.minimum-number-of-calls=5");

    @Test
    void theBreakerSeesEveryAttemptAndTheFallbackServesExhaustedCalls() {
        runner.run(context -> {
            RetryResult<String> result = price(context, "tea");

            assertThat(result.value()).isEqualTo("unknown");
            assertThat(result.attempts()).isEqualTo(3);
            assertThat(result.stopReason()).isEqualTo(StopReason.EXHAUSTED);
            assertThat(breaker(context).getMetrics().getNumberOfFailedCalls()).isEqualTo(3);
        });
    }

    @Test
    void theFallbackServesCallsThatTheBreakerRefusesWithoutARetry() {
        runner.run(context -> {
            price(context, "tea");
            RetryResult<String> opening = price(context, "tea");
            RetryResult<String> refused = price(context, "tea");

            assertThat(breaker(context).getState()).isEqualTo(CircuitBreaker.State.OPEN);
            assertThat(opening.value()).isEqualTo("unknown");
            assertThat(opening.attempts())
                    .as("two that failed, and one refused")
                    .isEqualTo(3);
            assertThat(refused.value()).isEqualTo("unknown");
            assertThat(refused.attempts()).isEqualTo(1);
            assertThat(refused.stopReason()).isEqualTo(StopReason.NOT_RETRYABLE);
            assertThat(context.getBean(AtomicInteger.class))
                    .as("calls of the catalogue")
                    .hasValue(5);
        });
    }

    @Test
    void otherErrorsReachTheCaller() {
        runner.run(context -> assertThatIllegalArgumentException()
                .isThrownBy(() -> context.getBean(PriceService.class).price(""))
                .withMessage("no item"));
    }

    private static RetryResult<String> price(ApplicationContext context, String item) {
        return Retries.capture(() -> context.getBean(PriceService.class).price(item));
    }

    private static CircuitBreaker breaker(ApplicationContext context) {
        return context.getBean(CircuitBreakerRegistry.class).circuitBreaker("catalogue");
    }

    @Configuration(proxyBeanMethods = false)
    static class Shop {

        @Bean
        AtomicInteger calls() {
            return new AtomicInteger();
        }

        @Bean
        PriceService prices(AtomicInteger calls) {
            return new PriceService(item -> {
                if (item.isEmpty()) {
                    throw new IllegalArgumentException("no item");
                }
                throw new IOException("down at " + calls.incrementAndGet());
            });
        }
    }
}
