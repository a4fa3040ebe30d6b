// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.shipments;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.RetryableTopic;

/** A listener with retry topics of Spring Kafka, which RetryOn retries too. */
@ExtendWith(OutputCaptureExtension.class)
class RetriedTwiceTests {

    @Test
    void theAttemptsOfARetryTopicMultiply(CapturedOutput output) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
                .withUserConfiguration(Kafka.class)
                .withBean(Listener.class)
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .contains("RETRYON-W13: " + Listener.class.getName()
                        + ".ship is retried by RetryOn and by Spring Kafka's @RetryableTopic");
    }

    @EnableKafka
    static class Kafka {}

    static class Listener {

        @RetryOn(IOException.class)
        @RetryableTopic
        public void ship(String parcel) {}
    }
}
