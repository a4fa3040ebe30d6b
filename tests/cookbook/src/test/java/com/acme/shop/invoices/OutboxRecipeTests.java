// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.invoices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class OutboxRecipeTests {

    /** Each application is a node; they share the database and nothing else. */
    private final List<ConfigurableApplicationContext> nodes = new ArrayList<>();

    private final List<String> attempts = new CopyOnWriteArrayList<>();

    private final List<String> sent = new CopyOnWriteArrayList<>();

    private ConfigurableApplicationContext first;

    @BeforeEach
    void startWithoutMailServer() {
        first = node((to, subject, key) -> {
            attempts.add(key);
            throw new MailServer.Unavailable("no connection");
        });
    }

    @AfterEach
    void stop() {
        nodes.get(nodes.size() - 1).getBean(JdbcTemplate.class).execute("SHUTDOWN");
        nodes.forEach(ConfigurableApplicationContext::close);
    }

    @Test
    void anotherNodeSendsTheInvoiceOfACommittedOrder() {
        first.getBean(Checkout.class).place("17", "ann@example.org");
        await().until(() -> !attempts.isEmpty());
        first.close();

        node((to, subject, key) -> {
            attempts.add(key);
            sent.add(subject + " to " + to);
        });

        await().until(() -> !sent.isEmpty());
        assertThat(sent).containsExactly("Invoice 17 to ann@example.org");
        assertThat(attempts).as("idempotency keys").hasSizeGreaterThan(1);
        assertThat(List.copyOf(attempts)).allMatch(key -> key.equals(attempts.get(0)));
    }

    @Test
    void anOrderThatIsRolledBackSendsNothing() {
        TransactionTemplate transaction = new TransactionTemplate(first.getBean(PlatformTransactionManager.class));

        assertThatIllegalStateException()
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    first.getBean(Checkout.class).place("18", "bob@example.org");
                    throw new IllegalStateException("the credit card was refused");
                }));

        assertThat(first.getBean(PurchaseOrders.class).findAll()).isEmpty();
        assertThat(first.getBean(JdbcTemplate.class).queryForObject("select count(*) from retryon_call", Integer.class))
                .isZero();
        assertThat(attempts).isEmpty();
    }

    private ConfigurableApplicationContext node(MailServer mails) {
        ConfigurableApplicationContext node = new SpringApplicationBuilder(Shop.class)
                .initializers(context -> context.getBeanFactory().registerSingleton("mailServer", mails))
                .run(
                        "--spring.datasource.url=jdbc:h2:mem:outbox;DB_CLOSE_DELAY=-1",
                        "--spring.jpa.hibernate.ddl-auto=update",
                        // Waits of the recipe are for production.
                        "--retryon.methods.[com.acme.shop.invoices.Invoices#send].delay=50ms");
        nodes.add(node);
        return node;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableJpaRepositories
    @Import({Checkout.class, Invoices.class})
    static class Shop {}
}
