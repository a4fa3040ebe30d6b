/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package com.acme.breakers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.retryon.spring.Durable;
import dev.retryon.spring.RetryOn;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The retries of a durable call wait until the circuit breaker closes. */
class DurableCallsBehindABreakerTests {

    private final CircuitBreaker breaker = CircuitBreaker.ofDefaults("mail server");

    private final AtomicInteger sent = new AtomicInteger();

    public class Mails {

        @RetryOn(value = Exception.class, durable = Durable.ON_FAILURE, maxAttempts = 1000, delay = "10ms")
        public void send() {
            breaker.executeRunnable(sent::incrementAndGet);
        }
    }

    @Test
    void areStoredWhileItIsOpen() {
        new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues(
                        "spring.datasource.url=jdbc:h2:mem:" + System.nanoTime(), "retryon.defaults.backoff=fixed")
                .withBean(Mails.class, Mails::new)
                .run(context -> {
                    breaker.transitionToOpenState();

                    context.getBean(Mails.class).send();

                    assertThat(sent).hasValue(0);
                    breaker.transitionToClosedState();
                    await().untilAsserted(() -> assertThat(sent).hasValue(1));
                });
    }

    @EnableAutoConfiguration
    static class Application {}
}
