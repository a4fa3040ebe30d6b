// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.parcels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import dev.retryon.StopReason;
import dev.retryon.test.RecordedRetries;
import dev.retryon.test.spring.VirtualRetries;
import java.io.IOException;
import java.net.ConnectException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

@SpringBootTest
@VirtualRetries
class TokenRecipeTests {

    @Autowired
    private Parcels parcels;

    @Autowired
    private RecordedRetries retries;

    @MockitoBean
    private Carrier carrier;

    @BeforeEach
    void forget() {
        retries.clear();
    }

    @Test
    void anExpiredTokenIsRefreshed() throws IOException {
        given(carrier.login()).willReturn("new");
        given(carrier.track("17", "")).willThrow(new TokenExpiredException());
        given(carrier.track("17", "new")).willThrow(new ConnectException()).willReturn("on its way");

        assertThat(parcels.track("17")).isEqualTo("on its way");

        assertThat(retries).of("Parcels.track").attempted(3).succeeded();
        verify(carrier, times(1)).login();
    }

    @Test
    void aFailedLoginEndsTheCall() throws IOException {
        given(carrier.login()).willThrow(new ConnectException("login is down"));
        given(carrier.track("18", "")).willThrow(new TokenExpiredException());
        given(carrier.track("18", "new")).willThrow(new TokenExpiredException());

        assertThatThrownBy(() -> parcels.track("18")).hasMessage("login is down");

        assertThat(retries).of("Parcels.track").failed(StopReason.NOT_RETRYABLE);
    }

    @Test
    void otherErrorsAreRetriedWithoutALogin() throws IOException {
        given(carrier.track("19", "")).willThrow(new ConnectException()).willReturn("here");
        given(carrier.track("19", "new")).willThrow(new ConnectException()).willReturn("here");

        assertThat(parcels.track("19")).isEqualTo("here");

        verify(carrier, never()).login();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Parcels.class)
    static class Shop {}
}
