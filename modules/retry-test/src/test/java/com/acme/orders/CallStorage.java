// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.deadletter.InMemoryDeadLetterStore;
import dev.retryon.durable.CallEngine;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Where the calls of an application without a database are. */
@Configuration(proxyBeanMethods = false)
public class CallStorage {

    @Bean
    CallEngine calls() {
        return new TimerEngine();
    }

    @Bean
    DeadLetterStore letters() {
        return new InMemoryDeadLetterStore();
    }
}
