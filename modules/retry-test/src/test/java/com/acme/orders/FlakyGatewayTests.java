// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.test.RecordedRetries;
import dev.retryon.test.spring.FaultInjection;
import dev.retryon.test.spring.VirtualRetries;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

@SpringBootTest
@VirtualRetries
@Import(FlakyGateway.class)
class FlakyGatewayTests {

    @Autowired
    private FaultInjection<Gateway> gateway;

    @Autowired
    private OrderService orders;

    @Autowired
    private RecordedRetries retries;

    @BeforeEach
    void forget() {
        gateway.clear();
        retries.clear();
    }

    @Test
    void placesAnOrderAfterTwoFailures() throws IOException {
        gateway.fail("place", 2, IOException::new);

        assertThat(orders.place("tea")).isEqualTo("placed");

        assertThat(retries)
                .of("OrderService.place")
                .attempted(3)
                .waited(ofSeconds(1), ofSeconds(2))
                .succeeded();
    }

    static class FlakyOrders {

        public static void main(String[] args) {
            SpringApplication.from(OrderApplication::main)
                    .with(FlakyGateway.class)
                    .run(args);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(RetryAutoConfiguration.class)
    @Import({OrderService.class, WorkingGateway.class})
    static class OrderApplication {

        static void main(String[] args) {
            SpringApplication.run(OrderApplication.class, args);
        }
    }

    static class WorkingGateway implements Gateway {

        @Override
        public String place(String order) throws IOException {
            return "placed";
        }

        @Override
        public CompletableFuture<String> placeLater(String order) {
            return CompletableFuture.completedFuture("placed");
        }

        @Override
        public Mono<String> find(String order, int attempt) {
            return Mono.just(order);
        }

        @Override
        public Flux<String> findAll() {
            return Flux.empty();
        }
    }
}
