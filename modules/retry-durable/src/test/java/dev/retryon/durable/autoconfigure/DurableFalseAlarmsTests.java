// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;

/** Correct durable methods for which an earlier version logged a warning, with an H2 database in memory. */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
@SpringBootTest(webEnvironment = WebEnvironment.NONE)
@DirtiesContext
class DurableFalseAlarmsTests {

    @Autowired
    private Mails mails;

    @Test
    void methodsThatNeedNoExceptionsAndADatabaseInMemory(CapturedOutput output) {
        mails.send("order");

        assertThat(output).contains("Calls are stored in H2 at jdbc:h2:mem:").doesNotContain("RETRYON-W");
    }

    static class Mails {

        @Durable(OUTBOX)
        public void send(String order) {}

        @Durable(ON_EXHAUSTION)
        public void charge(String order) {}

        @RetryOn(maxAttempts = 1)
        @Durable(ON_EXHAUSTION)
        public void refund(String order) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Mails.class)
    static class Application {}
}
