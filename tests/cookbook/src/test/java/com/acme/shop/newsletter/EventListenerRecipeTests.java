// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.newsletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

@SpringBootTest(
        properties = {
            "spring.datasource.url=jdbc:h2:mem:welcome",
            "spring.modulith.events.jdbc.schema-initialization.enabled=true",
            // Waits of the recipe are for production.
            "retryon.methods.[com.acme.shop.newsletter.WelcomeMail#on].delay=50ms"
        })
class EventListenerRecipeTests {

    @Autowired
    private TransactionTemplate transaction;

    @Autowired
    private ApplicationEventPublisher events;

    @Autowired
    private FailingNewsletter newsletter;

    @Autowired
    private JdbcTemplate jdbc;

    @BeforeEach
    void forget() {
        newsletter.attempts.clear();
        newsletter.subscribed.clear();
    }

    @Test
    void theListenerRunsAfterTheCommitUntilItSucceeds() {
        transaction.executeWithoutResult(status -> {
            events.publishEvent(new CustomerRegistered("ann@example.org"));
            assertThat(newsletter.attempts).isEmpty();
        });

        await().until(() -> !newsletter.subscribed.isEmpty());
        assertThat(newsletter.attempts).hasSize(3);
    }

    @Test
    void anEventOfATransactionThatRollsBackIsDiscarded() {
        transaction.executeWithoutResult(status -> {
            events.publishEvent(new CustomerRegistered("bob@example.org"));
            status.setRollbackOnly();
        });

        assertThat(jdbc.queryForObject("select count(*) from retryon_call", Integer.class))
                .isZero();
        assertThat(newsletter.attempts).isEmpty();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({WelcomeMail.class, FailingNewsletter.class})
    static class Shop {}
}
