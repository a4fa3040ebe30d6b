// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.newsletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.support.TransactionTemplate;

@SpringBootTest(
        properties = {
            "spring.datasource.url=jdbc:h2:mem:modulith",
            "spring.modulith.events.jdbc.schema-initialization.enabled=true",
            // Waits of the recipe are for production.
            "retryon.methods.[com.acme.shop.newsletter.NewsletterModule#on].delay=50ms"
        })
class ModulithRecipeTests {

    @Autowired
    private TransactionTemplate transaction;

    @Autowired
    private ApplicationEventPublisher events;

    @Autowired
    private FailingNewsletter newsletter;

    @Autowired
    private JdbcTemplate jdbc;

    @Test
    void thePublicationIsCompletedAndRetryOnMakesTheOtherAttempts() {
        transaction.executeWithoutResult(status -> events.publishEvent(new CustomerRegistered("ann@example.org")));

        await().until(() -> !newsletter.subscribed.isEmpty());
        await().untilAsserted(() -> {
            assertThat(jdbc.queryForList(
                            "select completion_attempts from event_publication where completion_date is not null",
                            Integer.class))
                    .containsExactly(1);
            assertThat(jdbc.queryForObject("select count(*) from retryon_call", Integer.class))
                    .isZero();
        });
        assertThat(newsletter.attempts).hasSize(3);
        assertThat(newsletter.threads.get(0)).doesNotStartWith("retryon-worker-");
        assertThat(newsletter.threads.subList(1, 3))
                .allSatisfy(thread -> assertThat(thread).startsWith("retryon-worker-"));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableAsync
    @Import({NewsletterModule.class, FailingNewsletter.class})
    static class Shop {}
}
