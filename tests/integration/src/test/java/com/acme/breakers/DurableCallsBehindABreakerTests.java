// SPDX-License-Identifier: Apache-2.0
package com.acme.breakers;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import dev.retryon.durable.Durable;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;

/** The retries of a durable call wait until the circuit breaker closes. */
class DurableCallsBehindABreakerTests {

    private static final Duration OPEN = Duration.ofMillis(400);

    private final AtomicInteger sent = new AtomicInteger();

    private final List<Duration> waits = new CopyOnWriteArrayList<>();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withUserConfiguration(Application.class)
            .withPropertyValues(
                    "spring.datasource.url=jdbc:h2:mem:" + System.nanoTime(),
                    "retryon.defaults.backoff=fixed",
                    "retryon.defaults.jitter=none",
                    "resilience4j.circuitbreaker.instances.mails.wait-duration-in-open-state=" + OPEN.toMillis() + "ms")
            .withBean(RetryListener.class, () -> event -> {
                if (event instanceof RetryScheduled retry) {
                    waits.add(retry.delay());
                }
            });

    public static class Mails {

        private final CircuitBreaker breaker;

        private final AtomicInteger sent;

        Mails(CircuitBreaker breaker, AtomicInteger sent) {
            this.breaker = breaker;
            this.sent = sent;
        }

        @RetryOn(value = Exception.class, maxAttempts = 1000, delay = "10ms")
        @Durable(ON_FAILURE)
        public void send() {
            breaker.executeRunnable(sent::incrementAndGet);
        }

        @RetryOn(value = Exception.class, maxAttempts = 2, delay = "10ms", maxDelay = "20ms")
        @Durable(ON_FAILURE)
        public void sendOnceOpen() {
            breaker.executeRunnable(sent::incrementAndGet);
        }

        @RetryOn(value = CallNotPermittedException.class, maxAttempts = 2, delay = "10ms", maxDelay = "20ms")
        public void sendNow() {
            breaker.executeRunnable(sent::incrementAndGet);
        }
    }

    private ApplicationContextRunner with(CircuitBreaker breaker) {
        return runner.withBean(Mails.class, () -> new Mails(breaker, sent));
    }

    /** With the breaker that Resilience4j configures. */
    private ApplicationContextRunner withRegisteredBreaker() {
        return runner.withUserConfiguration(Registered.class).withBean("sent", AtomicInteger.class, () -> sent);
    }

    private static CircuitBreaker breaker(CircuitBreakerRegistry registry) {
        return registry.circuitBreaker("mails");
    }

    @Test
    void areStoredWhileItIsOpen() {
        CircuitBreaker breaker = CircuitBreaker.ofDefaults("mail server");
        with(breaker).run(context -> {
            breaker.transitionToOpenState();

            context.getBean(Mails.class).send();

            assertThat(sent).hasValue(0);
            breaker.transitionToClosedState();
            await().untilAsserted(() -> assertThat(sent).hasValue(1));
            assertThat(waits).as("no registry knows the breaker").contains(Duration.ofMillis(10));
        });
    }

    @Test
    void comeBackWhenItPermitsCallsAgain() {
        withRegisteredBreaker().run(context -> {
            breaker(context.getBean(CircuitBreakerRegistry.class)).transitionToOpenState();

            context.getBean(Mails.class).sendOnceOpen();

            await().untilAsserted(() -> assertThat(sent).hasValue(1));
            assertThat(waits).containsExactly(OPEN);
        });
    }

    @Test
    void doNotWaitForABreakerThatAnOperatorHasOpened() {
        withRegisteredBreaker().run(context -> {
            CircuitBreaker breaker = breaker(context.getBean(CircuitBreakerRegistry.class));
            breaker.transitionToForcedOpenState();

            context.getBean(Mails.class).send();

            breaker.transitionToClosedState();
            await().untilAsserted(() -> assertThat(sent).hasValue(1));
            assertThat(waits).first().isEqualTo(Duration.ofMillis(10));
        });
    }

    @Test
    void aCallThatHoldsItsThreadDoesNotWaitForTheBreaker() {
        withRegisteredBreaker().run(context -> {
            Mails mails = context.getBean(Mails.class);
            breaker(context.getBean(CircuitBreakerRegistry.class)).transitionToOpenState();

            assertThat(Retries.capture(() -> {
                                mails.sendNow();
                                return "sent";
                            })
                            .attempts())
                    .isEqualTo(2);
            assertThat(waits).containsExactly(Duration.ofMillis(10));
        });
    }

    @EnableAutoConfiguration
    static class Application {}

    static class Registered {

        @Bean
        Mails mails(CircuitBreakerRegistry registry, AtomicInteger sent) {
            return new Mails(breaker(registry), sent);
        }
    }
}
