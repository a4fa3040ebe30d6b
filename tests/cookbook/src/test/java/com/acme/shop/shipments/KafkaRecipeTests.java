// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.shipments;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.KafkaException;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.config.TopicBuilder;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.kafka.support.SendResult;
import org.springframework.kafka.test.context.EmbeddedKafka;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

@Tag("slow")
@SpringBootTest(
        properties = {
            "spring.datasource.url=jdbc:h2:mem:kafka",
            "spring.kafka.listener.auto-startup=true",
            "spring.kafka.consumer.auto-offset-reset=earliest",
            // Waits of the recipe are for production. A busy machine might need more attempts.
            "retryon.defaults.delay=300ms",
            "retryon.defaults.backoff=fixed",
            "retryon.methods.[com.acme.shop.shipments.ShipmentListener#ship].delay=300ms",
            "retryon.methods.[com.acme.shop.shipments.ShipmentListener#ship].max-attempts=1000",
            "retryon.methods.[com.acme.shop.shipments.OrderEvents#publish].delay=300ms",
            "retryon.methods.[com.acme.shop.shipments.Customs#declare].delay=300ms",
            "retryon.methods.[com.acme.shop.shipments.Customs#declare].max-attempts=1000"
        })
@EmbeddedKafka(
        topics = {"shipments", "shipments-dlt", "customs", "batches", "tombstones", "orders"},
        partitions = 1,
        bootstrapServersProperty = "spring.kafka.bootstrap-servers")
@MockitoSpyBean(types = KafkaTemplate.class)
class KafkaRecipeTests {

    @Autowired
    private KafkaTemplate<String, String> kafka;

    @Autowired
    private OrderEvents events;

    @Autowired
    private PlatformTransactionManager transactions;

    @Autowired
    private KafkaAdmin admin;

    @Autowired
    private KafkaListenerEndpointRegistry containers;

    @Autowired
    private JdbcTemplate jdbc;

    @Autowired
    private FailingWarehouse warehouse;

    @Autowired
    private CustomsListener customs;

    @Autowired
    private Letters letters;

    @BeforeEach
    void open() {
        await().until(() -> stored() == 0);
        warehouse.closed.clear();
        warehouse.shipped.clear();
    }

    @Test
    void laterMessagesDoNotWaitForTheRetry() {
        warehouse.closed.add("first");
        kafka.send("shipments", "first");
        long end = offset(kafka.send("shipments", "second")) + 1;

        await().until(() -> warehouse.shipped.contains("second") && committed("shipments") == end);
        assertThat(stored()).isEqualTo(1);
        assertThat(warehouse.shipped).containsExactly("second");

        warehouse.closed.clear();
        await().until(() -> stored() == 0);
        assertThat(warehouse.shipped).containsExactly("second", "first");
        assertThat(warehouse.threads.get("first")).startsWith("retryon-worker-");
        assertThat(warehouse.threads.get("second")).doesNotStartWith("retryon-");
    }

    @Test
    void aMessageWhoseRetryCantBeStoredGoesToTheDeadLetterTopic() {
        String large = "x".repeat(900_000);
        warehouse.closed.add(large);
        kafka.send("shipments", large);
        kafka.send("shipments", "small");

        await().until(() -> warehouse.shipped.contains("small"));
        await().until(() -> letters.received.size() == 1);
        assertThat(letters.received).containsExactly(large);
        assertThat(stored()).isZero();
    }

    @Test
    void aListenerThatAcknowledgesPassesItsPayloadToAnotherBean() throws IOException {
        warehouse.closed.add("parcel");
        long offset = offset(kafka.send("customs", "parcel"));

        await().until(() -> committed("customs") == offset + 1);
        assertThat(stored()).isEqualTo(1);
        // The same message again, as after a crash before the commit.
        Acknowledgment acknowledgment = mock();
        customs.on(new ConsumerRecord<>("customs", 0, offset, null, "parcel"), acknowledgment);
        verify(acknowledgment).acknowledge();
        assertThat(stored()).as("one call per message").isEqualTo(1);

        warehouse.closed.clear();
        await().until(() -> stored() == 0);
        assertThat(warehouse.shipped).containsExactly("parcel");
    }

    @Test
    void aListenerOfBatchesIsRetriedAsAWhole() {
        warehouse.closed.add("b2");
        kafka.send("batches", "b1");
        kafka.send("batches", "b2");
        long end = offset(kafka.send("batches", "b3")) + 1;

        await().until(() -> committed("batches") == end);
        warehouse.closed.clear();

        await().until(() -> stored() == 0);
        assertThat(warehouse.shipped).contains("b1", "b2", "b3");
    }

    @Test
    void aTombstoneIsStoredAsNull() {
        warehouse.closed.add("key null");
        kafka.send("tombstones", "key", null);

        await().until(() -> stored() == 1);
        warehouse.closed.clear();

        await().until(() -> warehouse.shipped.contains("key null"));
    }

    @Test
    void threeConsumersLoseNothing() {
        List<String> orders =
                IntStream.range(0, 60).mapToObj(number -> "order " + number).toList();
        warehouse.closed.addAll(orders);
        orders.forEach(order -> kafka.send("written", order, order));

        await().until(() -> stored() == 60);
        assertThat(jdbc.queryForObject("select count(*) from written", Integer.class))
                .as("written in transactions that were rolled back")
                .isZero();
        warehouse.closed.clear();

        await().until(() -> stored() == 0);
        assertThat(warehouse.shipped).containsExactlyInAnyOrderElementsOf(orders);
        assertThat(jdbc.queryForList("select name from written", String.class))
                .containsExactlyInAnyOrderElementsOf(orders);
    }

    @Test
    void aCallOfAContainerThatIsStoppedIsStored() throws Exception {
        MessageListenerContainer container = containers.getListenerContainers().stream()
                .filter(each -> List.of("shipments").equals(topics(each)))
                .findFirst()
                .orElseThrow();
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        warehouse.gates.put("late", gate);
        warehouse.closed.add("late");
        long end = offset(kafka.send("shipments", "late")) + 1;
        await().until(() -> warehouse.waiting.contains("late"));

        container.stop(stopped::countDown);
        gate.countDown();
        stopped.await();

        assertThat(committed("shipments")).isEqualTo(end);
        warehouse.closed.clear();
        await().until(() -> warehouse.shipped.contains("late"));
        container.start();
    }

    @Test
    void eventsOfAnOrderArriveInTheOrderOfCommits() {
        CompletableFuture<SendResult<String, String>> failure =
                CompletableFuture.failedFuture(new KafkaException("no broker"));
        doReturn(failure).doCallRealMethod().when(kafka).send("orders", "17", "placed");
        TransactionTemplate transaction = new TransactionTemplate(transactions);
        transaction.executeWithoutResult(status -> {
            events.publish("17", "placed");
            events.publish("18", "placed");
        });
        transaction.executeWithoutResult(status -> {
            events.publish("17", "cancelled");
            status.setRollbackOnly();
        });
        transaction.executeWithoutResult(status -> events.publish("17", "paid"));

        await().until(() -> letters.events.size() == 3);
        assertThat(letters.events).containsSubsequence("17 placed", "17 paid").contains("18 placed");
        verify(kafka, times(2)).send("orders", "17", "placed");
    }

    private static List<String> topics(MessageListenerContainer container) {
        String[] topics = container.getContainerProperties().getTopics();
        return topics == null ? List.of() : List.of(topics);
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(30));
    }

    private int stored() {
        return jdbc.queryForObject("select count(*) from retryon_call", Integer.class);
    }

    private static long offset(CompletableFuture<? extends SendResult<?, ?>> sent) {
        return sent.join().getRecordMetadata().offset();
    }

    private long committed(String topic) throws Exception {
        try (AdminClient client = AdminClient.create(admin.getConfigurationProperties())) {
            Map<TopicPartition, OffsetAndMetadata> offsets = client.listConsumerGroupOffsets("shop")
                    .partitionsToOffsetAndMetadata()
                    .get();
            OffsetAndMetadata offset = offsets.get(new TopicPartition(topic, 0));
            return offset == null ? 0 : offset.offset();
        }
    }

    static class FailingWarehouse implements Warehouse {

        final Set<String> closed = ConcurrentHashMap.newKeySet();

        final List<String> shipped = new CopyOnWriteArrayList<>();

        final Map<String, String> threads = new ConcurrentHashMap<>();

        final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();

        final List<String> waiting = new CopyOnWriteArrayList<>();

        @Override
        public void ship(String orderId) throws IOException {
            CountDownLatch gate = gates.remove(orderId);
            if (gate != null) {
                waiting.add(orderId);
                try {
                    gate.await();
                } catch (InterruptedException ex) {
                    throw new IllegalStateException(ex);
                }
            }
            if (closed.contains(orderId)) {
                throw new IOException("closed for lunch");
            }
            threads.put(orderId, Thread.currentThread().getName());
            shipped.add(orderId);
        }
    }

    static class Letters {

        private final List<String> received = new CopyOnWriteArrayList<>();

        private final List<String> events = new CopyOnWriteArrayList<>();

        @KafkaListener(topics = "shipments-dlt", groupId = "letters")
        void on(String letter) {
            received.add(letter);
        }

        @KafkaListener(topics = "orders", groupId = "letters")
        void on(@Header(KafkaHeaders.RECEIVED_KEY) String order, @Payload String event) {
            events.add(order + " " + event);
        }
    }

    static class OtherListeners {

        private final Warehouse warehouse;

        private final JdbcTemplate jdbc;

        OtherListeners(Warehouse warehouse, JdbcTemplate jdbc) {
            this.warehouse = warehouse;
            this.jdbc = jdbc;
            jdbc.execute("create table written (name varchar(100))");
        }

        @KafkaListener(topics = "batches", groupId = "shop", batch = "true")
        @RetryOn(exceptions = IOException.class, maxAttempts = 100)
        @Durable(ON_FAILURE)
        public void batch(List<String> orders) throws IOException {
            for (String order : orders) {
                warehouse.ship(order);
            }
        }

        @KafkaListener(topics = "tombstones", groupId = "shop")
        @RetryOn(exceptions = IOException.class, maxAttempts = 100)
        @Durable(ON_FAILURE)
        public void tombstone(
                @Header(KafkaHeaders.RECEIVED_KEY) String key, @Payload(required = false) @Nullable String order)
                throws IOException {
            warehouse.ship(key + " " + order);
        }

        @KafkaListener(topics = "written", groupId = "shop", concurrency = "3")
        @RetryOn(exceptions = IOException.class, maxAttempts = 100)
        @Durable(ON_FAILURE)
        @Transactional(rollbackFor = IOException.class)
        public void write(String order) throws IOException {
            jdbc.update("insert into written values (?)", order);
            warehouse.ship(order);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({ShipmentListener.class, KafkaConfiguration.class, CustomsListener.class, Customs.class, OrderEvents.class})
    static class Shop {

        @Bean
        FailingWarehouse warehouse() {
            return new FailingWarehouse();
        }

        @Bean
        NewTopic written() {
            return TopicBuilder.name("written").partitions(3).build();
        }

        @Bean
        Letters letters() {
            return new Letters();
        }

        @Bean
        OtherListeners others(Warehouse warehouse, JdbcTemplate jdbc) {
            return new OtherListeners(warehouse, jdbc);
        }
    }
}
