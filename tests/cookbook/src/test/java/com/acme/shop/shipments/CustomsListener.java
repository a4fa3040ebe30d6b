// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.shipments;

import java.io.IOException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.stereotype.Component;

@Component
public class CustomsListener {

    private final Customs customs;

    public CustomsListener(Customs customs) {
        this.customs = customs;
    }

    @KafkaListener(topics = "customs", groupId = "shop", ackMode = "MANUAL")
    public void on(ConsumerRecord<String, String> record, Acknowledgment acknowledgment) throws IOException {
        customs.declare(record.partition() + "-" + record.offset(), record.value());
        acknowledgment.acknowledge();
    }
}
