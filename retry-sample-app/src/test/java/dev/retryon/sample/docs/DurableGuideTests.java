/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.sample.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The first steps of docs/durable.md lead to an outbox that works. Only the database is another one: an SQLite file. */
@Tag("slow")
class DurableGuideTests {

    private static final Page GUIDE = Page.read("docs/durable.md");

    @TempDir
    private Path folder;

    @Test
    void invoiceIsSentIfAndOnlyIfItsOrderIsCommitted() throws Exception {
        try (ConfigurableApplicationContext context = run(Snippets.of(GUIDE).compile(folder))) {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            jdbc.execute("CREATE TABLE orders (id varchar(20))");
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
                place(context, "17");
                status.setRollbackOnly();
            });
            assertThat(jdbc.queryForObject("SELECT count(*) FROM retryon_call", Integer.class))
                    .isZero();

            place(context, "18");

            List<String> sent = context.getBean(MailServer.class).requests;
            await().until(() -> !sent.isEmpty());
            assertThat(sent).singleElement().asString().matches("/invoices/18 [0-9a-f-]{36}");
            assertThat(jdbc.queryForList("SELECT id FROM orders", String.class)).containsExactly("18");
            await().until(() -> jdbc.queryForObject("SELECT count(*) FROM retryon_call", Integer.class) == 0);
        }
    }

    private ConfigurableApplicationContext run(ClassLoader classes) throws ClassNotFoundException {
        Map<String, Object> properties =
                new LinkedHashMap<>(Yaml.read(GUIDE.blocks("yaml").get(0)));
        properties.put(
                "spring.datasource.url",
                "jdbc:sqlite:" + folder.resolve("orders.db") + "?journal_mode=WAL&busy_timeout=10000");
        properties.keySet().removeAll(List.of("spring.datasource.username", "spring.datasource.password"));
        SpringApplication application = new SpringApplication(
                new DefaultResourceLoader(classes),
                MailServer.class,
                classes.loadClass("com.acme.orders.InvoiceMailer"),
                classes.loadClass("com.acme.orders.OrderService"));
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setDefaultProperties(properties);
        // Without the properties of the sample.
        return application.run("--spring.config.name=guide");
    }

    private static void place(ConfigurableApplicationContext context, String order) {
        try {
            Object orders = context.getBean("orderService");
            Method place = orders.getClass().getMethod("place", String.class);
            place.invoke(orders, order);
        } catch (ReflectiveOperationException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** The mail server of the guide, which accepts everything. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class MailServer {

        final List<String> requests = new CopyOnWriteArrayList<>();

        @Bean
        RestClientCustomizer accepting() {
            return builder -> builder.requestInterceptor((request, body, execution) -> {
                requests.add(
                        request.getURI().getPath() + " " + request.getHeaders().getFirst("Idempotency-Key"));
                return new MockClientHttpResponse(new byte[0], HttpStatus.OK);
            });
        }
    }
}
