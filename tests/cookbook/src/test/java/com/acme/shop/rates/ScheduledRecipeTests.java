// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.rates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.retryon.test.RecordedRetries;
import dev.retryon.test.spring.VirtualRetries;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;

@SpringBootTest
@VirtualRetries
class ScheduledRecipeTests {

    @Autowired
    private ExchangeRates exchange;

    @Autowired
    private RecordedRetries retries;

    @Test
    void aRunOfTheScheduleIsRetried() {
        await().until(() -> exchange.rates().equals("EUR 1.1"));

        await().untilAsserted(() ->
                assertThat(retries).of("ExchangeRates.refresh").attempted(3).succeeded());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    @Import(ExchangeRates.class)
    static class Shop {

        @Bean
        CentralBank bank() {
            AtomicInteger requests = new AtomicInteger();
            return () -> {
                if (requests.incrementAndGet() <= 2) {
                    throw new IOException("timeout");
                }
                return "EUR 1.1";
            };
        }
    }
}
