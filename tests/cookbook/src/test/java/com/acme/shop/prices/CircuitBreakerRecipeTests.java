// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.prices;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.test.RecordedRetries;
import dev.retryon.test.spring.VirtualRetries;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ActiveProfiles;

@SpringBootTest
@VirtualRetries
@ActiveProfiles("prices")
class CircuitBreakerRecipeTests {

    @Autowired
    private PriceService prices;

    @Autowired
    private CircuitBreakerRegistry breakers;

    @Autowired
    private AtomicInteger requests;

    @Autowired
    private RecordedRetries retries;

    @Test
    void theBreakerCountsAttemptsAndEndsRetriesOnceItIsOpen() throws IOException {
        assertThat(prices.price("tea")).isEqualTo("unknown");
        assertThat(retries).of("PriceService.price").attempted(3).recovered();

        assertThat(prices.price("tea")).isEqualTo("unknown");
        assertThat(breakers.circuitBreaker("wholesaler").getState()).isEqualTo(CircuitBreaker.State.OPEN);

        assertThat(prices.price("tea")).isEqualTo("unknown");
        assertThat(retries).of("PriceService.price").attempted(1).recovered();
        assertThat(requests).as("requests to the wholesaler").hasValue(5); // minimum-number-of-calls
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(PriceService.class)
    static class Shop {

        @Bean
        AtomicInteger requests() {
            return new AtomicInteger();
        }

        @Bean
        Wholesaler wholesaler(AtomicInteger requests) {
            return item -> {
                throw new IOException("down at " + requests.incrementAndGet());
            };
        }
    }
}
