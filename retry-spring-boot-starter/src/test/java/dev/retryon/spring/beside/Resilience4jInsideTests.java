// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.beside;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryContext;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.bulkhead.annotation.Bulkhead;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import io.github.resilience4j.springboot.bulkhead.autoconfigure.BulkheadAutoConfiguration;
import io.github.resilience4j.springboot.circuitbreaker.autoconfigure.CircuitBreakerAutoConfiguration;
import io.github.resilience4j.springboot.ratelimiter.autoconfigure.RateLimiterAutoConfiguration;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Resilience4j's circuit breaker, bulkhead and rate limiter inside of the retries: each of them sees every attempt. */
@Timeout(120)
class Resilience4jInsideTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    BulkheadAutoConfiguration.class,
                    CircuitBreakerAutoConfiguration.class,
                    RateLimiterAutoConfiguration.class,
                    RetryAutoConfiguration.class))
            .withUserConfiguration(Asynchronous.class)
            .withBean(Shop.class)
            .withPropertyValues(
                    "retryon.defaults.delay=1ms",
                    "retryon.defaults.jitter=none",
                    "resilience4j.bulkhead.instances.shop.max-concurrent-calls=5",
                    "resilience4j.ratelimiter.instances.shop.limit-for-period=10",
                    "resilience4j.ratelimiter.instances.shop.limit-refresh-period=1h");

    static Stream<Named<Function<Shop, String>>> calls() {
        return Stream.of(
                call("blocking", Shop::blocking),
                call("future", shop -> shop.future().join()),
                call("@Async", shop -> shop.async().join()),
                call("Mono", shop -> shop.mono().block()),
                call(
                        "Mono on another thread",
                        shop -> shop.mono()
                                .subscribeOn(Schedulers.boundedElastic())
                                .block()),
                call("Flux", shop -> shop.flux().blockLast()));
    }

    private static Named<Function<Shop, String>> call(String name, Function<Shop, String> call) {
        return Named.of(name, call);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void seeEveryAttempt(Function<Shop, String> call) {
        runner.run(context -> {
            assertThat(call.apply(context.getBean(Shop.class))).isEqualTo("attempt 3");

            var breaker = context.getBean(CircuitBreakerRegistry.class)
                    .circuitBreaker("shop")
                    .getMetrics();
            assertThat(breaker.getNumberOfFailedCalls()).isEqualTo(2);
            assertThat(breaker.getNumberOfSuccessfulCalls()).isOne();
            assertThat(context.getBean(RateLimiterRegistry.class)
                            .rateLimiter("shop")
                            .getMetrics()
                            .getAvailablePermissions())
                    .isEqualTo(7); // 7 = 10 - 3
            assertThat(context.getBean(BulkheadRegistry.class)
                            .bulkhead("shop")
                            .getMetrics()
                            .getAvailableConcurrentCalls())
                    .isEqualTo(5);
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Asynchronous {}

    @CircuitBreaker(name = "shop")
    @Bulkhead(name = "shop")
    @RateLimiter(name = "shop")
    @RetryOn(Down.class)
    static class Shop {

        public String blocking() {
            return attempt();
        }

        public CompletableFuture<String> future() {
            return CompletableFuture.completedFuture(attempt());
        }

        @Async
        public CompletableFuture<String> async() {
            return CompletableFuture.completedFuture(attempt());
        }

        public Mono<String> mono() {
            return Mono.fromCallable(Shop::attempt);
        }

        public Flux<String> flux() {
            int attempt = RetryContext.current().attempt();
            return attempt < 3 ? Flux.error(new Down()) : Flux.just("attempt " + attempt);
        }

        private static String attempt() {
            int attempt = RetryContext.current().attempt();
            if (attempt < 3) {
                throw new Down();
            }
            return "attempt " + attempt;
        }
    }

    static class Down extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Down() {
            super(new IOException("down"));
        }
    }
}
