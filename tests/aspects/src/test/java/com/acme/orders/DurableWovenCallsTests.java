// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** A woven method whose retries a worker runs. */
@SpringBootTest(
        properties = {"retryon.mode=aspectj", "retryon.defaults.delay=1ms", "retryon.durable.poll-interval=50ms"})
class DurableWovenCallsTests {

    @Autowired
    private MailService mails;

    @Test
    void aWorkerContinuesASelfInvokedCall() throws IOException, InterruptedException {
        mails.sendAll("Ann");

        assertThat(mails.sent.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(mails.attempts).containsExactly("Ann on main", "Ann on worker", "Ann on worker");
    }

    @Test
    void aWorkerKeepsTheOrderOfSelfInvokedCalls() throws IOException, InterruptedException {
        mails.reportAll("4711", "placed", "paid", "sent", "delivered");

        assertThat(mails.delivered.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(mails.statuses).containsExactly("placed", "placed", "paid", "sent", "delivered");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(MailService.class)
    static class Application {}
}
