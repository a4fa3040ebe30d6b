// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The code of docs/durable.md compiles, and the service of its first example is an outbox. Another module follows that
 * example to the end.
 */
@Tag("slow")
class DurableGuideTests {

    private static final Page GUIDE = Page.read("docs/durable.md");

    @TempDir
    private Path folder;

    @Test
    void invoiceIsStoredIfAndOnlyIfItsOrderIsCommitted() throws Exception {
        try (ConfigurableApplicationContext context = run(Snippets.of(GUIDE).compile(folder))) {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            jdbc.execute(GUIDE.blocks("sql").get(0).text());
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
                place(context, "17");
                status.setRollbackOnly();
            });
            assertThat(jdbc.queryForObject("SELECT count(*) FROM retryon_call", Integer.class))
                    .isZero();

            place(context, "18");

            // The folder that plays the mail server does not exist here, so the call stays.
            assertThat(jdbc.queryForObject("SELECT count(*) FROM retryon_call", Integer.class))
                    .isOne();
            assertThat(jdbc.queryForList("SELECT id FROM orders", String.class)).containsExactly("18");
        }
    }

    private ConfigurableApplicationContext run(ClassLoader classes) throws ClassNotFoundException {
        Map<String, Object> properties =
                new LinkedHashMap<>(Yaml.read(GUIDE.blocks("yaml").get(0)));
        properties.put(
                "spring.datasource.url",
                "jdbc:sqlite:" + folder.resolve("orders.db") + "?journal_mode=WAL&busy_timeout=10000");
        SpringApplication application = new SpringApplication(
                new DefaultResourceLoader(classes),
                AutoConfigured.class,
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

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class AutoConfigured {}
}
