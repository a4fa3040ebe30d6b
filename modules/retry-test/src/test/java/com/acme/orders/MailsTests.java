// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.verify;

import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCalls;
import dev.retryon.spring.RetryOn;
import dev.retryon.test.durable.VirtualCalls;
import dev.retryon.test.durable.VirtualDurableCalls;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

@SpringBootTest
@VirtualDurableCalls
class MailsTests {

    @MockitoBean
    private MailServer server;

    @Autowired
    private Mails mails;

    @Autowired
    private VirtualCalls calls;

    @BeforeEach
    void forget() {
        calls.clear();
    }

    @Test
    void sendsAMailWhenTheServerIsBack() throws IOException {
        willThrow(new IOException("down")).willDoNothing().given(server).send("a@acme.com");

        mails.send("a@acme.com");
        assertThat(calls.waiting()).extracting(StoredCalls.Summary::name).containsExactly("Mails.send");

        calls.advance(ofMinutes(5));
        assertThat(calls.waiting()).isEmpty();
        verify(server, Mockito.times(2)).send("a@acme.com");
    }

    @Test
    void keepsAMailThatTheServerNeverTakes() throws IOException {
        willThrow(new IOException("down")).given(server).send("a@acme.com");

        mails.send("a@acme.com");
        calls.advance(ofMinutes(5));

        assertThat(calls.deadLetters()).singleElement().satisfies(letter -> {
            assertThat(letter.name()).isEqualTo("Mails.send");
            assertThat(letter.attempts()).isEqualTo(3);
        });
    }

    interface MailServer {

        void send(String address) throws IOException;
    }

    static class Mails {

        private final MailServer server;

        Mails(MailServer server) {
            this.server = server;
        }

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void send(String address) throws IOException {
            server.send(address);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(AopAutoConfiguration.class)
    @Import(Mails.class)
    static class Application {}
}
