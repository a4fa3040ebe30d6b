/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package com.acme.shop.returns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.mockito.BDDMockito.willThrow;

import dev.retryon.StopReason;
import dev.retryon.test.RecordedRetries;
import dev.retryon.test.spring.VirtualRetries;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareMessageListener;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

@SpringBootTest
@VirtualRetries
@ActiveProfiles("returns")
class RabbitRecipeTests {

    @Autowired
    private RabbitListenerEndpointRegistry listeners;

    @Autowired
    private RecordedRetries retries;

    @MockitoBean
    private Refunds refunds;

    @Test
    void aDeliveryIsRetried() throws Exception {
        willThrow(new IOException("down")).willDoNothing().given(refunds).pay("17");

        deliver("17");

        assertThat(retries).of("ReturnsListener.refund").attempted(2).succeeded();
    }

    @Test
    void aDeliveryThatFailsInTheEndIsRejected() throws Exception {
        willThrow(new IOException("down")).given(refunds).pay("18");

        assertThatException().isThrownBy(() -> deliver("18")).withCauseInstanceOf(IOException.class);

        assertThat(retries).of("ReturnsListener.refund").attempted(3).failed(StopReason.EXHAUSTED);
    }

    /** Calls what the container would call with a message from the broker. */
    private void deliver(String orderId) throws Exception {
        AbstractMessageListenerContainer container = (AbstractMessageListenerContainer)
                listeners.getListenerContainers().iterator().next();
        MessageProperties properties = new MessageProperties();
        properties.setContentType(MessageProperties.CONTENT_TYPE_TEXT_PLAIN);
        properties.setConsumerQueue("returns");
        ((ChannelAwareMessageListener) container.getMessageListener())
                .onMessage(new Message(orderId.getBytes(StandardCharsets.UTF_8), properties), null);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(ReturnsListener.class)
    static class Shop {}
}
