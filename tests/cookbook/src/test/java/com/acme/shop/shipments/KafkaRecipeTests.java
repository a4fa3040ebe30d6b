/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package com.acme.shop.shipments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.test.context.EmbeddedKafka;

@SpringBootTest(
        properties = {
            "spring.kafka.listener.auto-startup=true",
            "spring.kafka.consumer.auto-offset-reset=earliest",
            // Waits of the recipe are for production.
            "retryon.methods.[com.acme.shop.shipments.ShipmentListener#ship].delay=300ms"
        })
@EmbeddedKafka(topics = "shipments", partitions = 1, bootstrapServersProperty = "spring.kafka.bootstrap-servers")
class KafkaRecipeTests {

    @Autowired
    private KafkaTemplate<String, String> kafka;

    @Autowired
    private FailingWarehouse warehouse;

    @Test
    void laterMessagesDoNotWaitForTheRetry() {
        kafka.send("shipments", "first");
        kafka.send("shipments", "second");

        await().until(() -> warehouse.shipped.size() == 2);
        assertThat(warehouse.shipped).containsExactly("second", "first");
        assertThat(warehouse.attempts).containsExactly("first", "second", "first");
    }

    static class FailingWarehouse implements Warehouse {

        final List<String> attempts = new CopyOnWriteArrayList<>();

        final List<String> shipped = new CopyOnWriteArrayList<>();

        @Override
        public void ship(String orderId) throws IOException {
            attempts.add(orderId);
            if (attempts.size() == 1) {
                throw new IOException("closed for lunch");
            }
            shipped.add(orderId);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({ShipmentListener.class, KafkaConfiguration.class})
    static class Shop {

        @Bean
        FailingWarehouse warehouse() {
            return new FailingWarehouse();
        }
    }
}
