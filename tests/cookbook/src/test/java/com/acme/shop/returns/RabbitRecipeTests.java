// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.returns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willThrow;

import dev.retryon.StopReason;
import dev.retryon.test.RecordedRetries;
import dev.retryon.test.spring.VirtualRetries;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
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
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

@SpringBootTest(
        properties = {
            "spring.datasource.url=jdbc:h2:mem:rabbit",
            // Waits of the recipe are for production.
            "retryon.methods.[com.acme.shop.returns.RestockListener#restock].delay=50ms",
            "retryon.methods.[com.acme.shop.returns.RestockListener#restock].max-attempts=1000"
        })
@VirtualRetries
@ActiveProfiles("returns")
class RabbitRecipeTests {

    @Autowired
    private RabbitListenerEndpointRegistry listeners;

    @Autowired
    private RecordedRetries retries;

    @Autowired
    private JdbcTemplate jdbc;

    @MockitoBean
    private Refunds refunds;

    @MockitoBean
    private Shelves shelves;

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

    /** The container acknowledges a delivery when the listener returns. */
    @Test
    void aDurableDeliveryReturnsWhenItsRetryIsStored() throws Exception {
        List<String> threads = new CopyOnWriteArrayList<>();
        AtomicBoolean isDown = new AtomicBoolean(true);
        willAnswer(call -> {
                    threads.add(Thread.currentThread().getName());
                    if (isDown.get()) {
                        throw new IOException("down");
                    }
                    return null;
                })
                .given(shelves)
                .restock("book");

        deliver("restock", "book");
        assertThat(jdbc.queryForObject("select count(*) from retryon_call", Integer.class))
                .isEqualTo(1);

        isDown.set(false);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> jdbc.queryForObject("select count(*) from retryon_call", Integer.class) == 0);
        assertThat(threads).hasSizeGreaterThan(1);
        assertThat(threads.get(0)).isEqualTo(Thread.currentThread().getName());
        assertThat(threads.get(threads.size() - 1)).startsWith("retryon-worker-");
    }

    private void deliver(String orderId) throws Exception {
        deliver("returns", orderId);
    }

    /** Calls what the container would call with a message from the broker. */
    private void deliver(String queue, String text) throws Exception {
        AbstractMessageListenerContainer container = listeners.getListenerContainers().stream()
                .map(AbstractMessageListenerContainer.class::cast)
                .filter(each -> List.of(each.getQueueNames()).contains(queue))
                .findFirst()
                .orElseThrow();
        MessageProperties properties = new MessageProperties();
        properties.setContentType(MessageProperties.CONTENT_TYPE_TEXT_PLAIN);
        properties.setConsumerQueue(queue);
        ((ChannelAwareMessageListener) container.getMessageListener())
                .onMessage(new Message(text.getBytes(StandardCharsets.UTF_8), properties), null);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({ReturnsListener.class, RestockListener.class})
    static class Shop {}
}
