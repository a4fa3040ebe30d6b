// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.payments;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;

import dev.retryon.StopReason;
import dev.retryon.test.RecordedRetries;
import dev.retryon.test.spring.VirtualRetries;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

@SpringBootTest
@VirtualRetries
class PaymentsTests {

    @Autowired
    private Payments payments;

    @Autowired
    private RecordedRetries retries;

    @MockitoBean
    private Payments.Gateway gateway;

    @BeforeEach
    void forget() {
        retries.clear();
    }

    @Test
    void chargesAtTheThirdAttempt() throws IOException {
        given(gateway.charge("17"))
                .willThrow(new IOException("down"))
                .willThrow(new IOException("still down"))
                .willReturn("charged");

        assertThat(payments.charge("17")).isEqualTo("charged");

        assertThat(retries)
                .of("Payments.charge")
                .attempted(3)
                .waited(ofMillis(200), ofMillis(400))
                .succeeded();
    }

    @Test
    void givesUpAfterThreeAttempts() throws IOException {
        given(gateway.charge("17")).willThrow(new IOException("down"));

        assertThatExceptionOfType(IOException.class).isThrownBy(() -> payments.charge("17"));

        assertThat(retries).of("Payments.charge").attempted(3).failed(StopReason.EXHAUSTED);
    }
}
