// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.when;

import dev.retryon.StopReason;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.test.RecordedRetries;
import dev.retryon.test.spring.GateProblems;
import dev.retryon.test.spring.SelfInvocations;
import dev.retryon.test.spring.VirtualRetries;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

@SpringBootTest
@VirtualRetries
class OrderServiceTests {

    @MockitoBean
    private Gateway gateway;

    @Autowired
    private OrderService orders;

    @Autowired
    private RecordedRetries retries;

    @BeforeEach
    void forget() {
        retries.clear();
    }

    @Test
    void placesAnOrderWhenTheGatewayIsBackInTime() throws IOException {
        when(gateway.place("tea"))
                .thenThrow(new IOException("down"))
                .thenThrow(new IOException("still down"))
                .thenReturn("placed");

        assertThat(orders.place("tea")).isEqualTo("placed");

        assertThat(retries)
                .of("OrderService.place")
                .attempted(3)
                .waited(ofSeconds(1), ofSeconds(2))
                .succeeded();
    }

    @Test
    void givesUpAfterThreeAttempts() throws IOException {
        when(gateway.place("tea")).thenThrow(new IOException("down"));

        assertThatExceptionOfType(IOException.class).isThrownBy(() -> orders.place("tea"));

        assertThat(retries).of("OrderService.place").attempted(3).failed(StopReason.EXHAUSTED);
    }

    @Test
    void stopsWhenTheTimeIsOver() {
        when(gateway.placeLater("tea")).thenAnswer(call -> {
            retries.advance(ofMinutes(1));
            return CompletableFuture.failedFuture(new IOException("slow"));
        });

        assertThat(orders.placeLater("tea")).isCompletedExceptionally();

        assertThat(retries).of("OrderService.placeLater").attempted(1).failed(StopReason.TIMEOUT);
    }

    @Test
    void noBeanCallsItsOwnRetriedMethods(@Autowired ConfigurableApplicationContext context) {
        assertThat(SelfInvocations.in(context)).isEmpty();
    }

    @Test
    void everyGateFitsItsMethod(@Autowired ConfigurableApplicationContext context) {
        assertThat(GateProblems.in(context)).isEmpty();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(RetryAutoConfiguration.class)
    @Import(OrderService.class)
    static class Application {}
}
