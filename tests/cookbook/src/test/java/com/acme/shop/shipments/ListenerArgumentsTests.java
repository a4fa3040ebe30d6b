// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.shipments;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import dev.retryon.durable.Durable;
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Headers;

/** The arguments of durable listeners are stored, so objects of the broker's client are refused. */
class ListenerArgumentsTests {

    @Test
    void objectsOfTheClientStopTheStart() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        RetryAutoConfiguration.class,
                        RetryDurableCoreAutoConfiguration.class,
                        RetryDurableAutoConfiguration.class))
                .withBean(Listener.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOfSatisfying(RetryConfigurationException.class, failure -> {
                            assertThat(failure.faults())
                                    .extracting(fault -> fault.place().toString())
                                    .extracting(place -> place.substring(place.lastIndexOf('.') + 1))
                                    .containsExactlyInAnyOrder(
                                            "acknowledge",
                                            "consume",
                                            "read",
                                            "readBatch",
                                            "readMessage",
                                            "readAmqp",
                                            "readChannel");
                            assertThat(failure)
                                    .hasMessageContaining("it belongs to a message listener; use the payload as the"
                                            + " parameter, or pass it to a durable method of another bean");
                        }));
    }

    static class Listener {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void acknowledge(String payload, Acknowledgment acknowledgment) {}

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void consume(String payload, Consumer<String, String> consumer) {}

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void read(ConsumerRecord<String, String> message) {}

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void readBatch(ConsumerRecords<String, String> messages) {}

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void readMessage(Message<String> message) {}

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void readAmqp(List<org.springframework.amqp.core.Message> messages) {}

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void readChannel(String payload, Channel channel) {}

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void payload(List<String> payloads, @Headers Map<String, String> headers) {}
    }
}
