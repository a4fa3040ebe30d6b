// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** An application with all modules that switches RetryOn off. */
class SwitchedOffTests {

    private static final String TABLES =
            "select count(*) from information_schema.tables where lower(table_name) like 'retryon%'";

    @Test
    void nothingButPassThroughFiltersExists() {
        try (ConfigurableApplicationContext context = start(false)) {
            Payments payments = context.getBean(Payments.class);
            assertThatThrownBy(payments::charge).isInstanceOf(IOException.class).hasMessage("attempt 1");
            assertThatThrownBy(payments::chargeLater)
                    .isInstanceOf(IOException.class)
                    .hasMessage("attempt 2");

            // Filters that clients inject stay; they pass requests on.
            assertThat(beans(context)).allMatch(name -> name.matches(".*([Hh]ttp|ExchangeFilter).*"));
            assertThat(tables(context)).isZero();
            assertThat(threads()).isEmpty();
        }
    }

    /** Shows that the test above would find beans, tables and threads. */
    @Test
    void allOfItExistsOtherwise() {
        try (ConfigurableApplicationContext context = start(true)) {
            assertThat(beans(context)).contains("retryOnEndpoint", "retryOnEventsEndpoint", "retryOnCallsEndpoint");
            assertThat(tables(context)).isPositive();
            assertThat(threads()).isNotEmpty();
        }
    }

    private static ConfigurableApplicationContext start(boolean isEnabled) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        return application.run(
                "--spring.main.register-shutdown-hook=false",
                "--spring.main.banner-mode=off",
                "--spring.jmx.enabled=false",
                "--spring.datasource.url=jdbc:h2:mem:switched" + isEnabled,
                "--management.endpoints.web.exposure.include=*",
                "--retryon.jdbc.initialize-schema=always",
                "--retryon.http.enabled=true",
                "--retryon.enabled=" + isEnabled);
    }

    private static String[] beans(ConfigurableApplicationContext context) {
        return Arrays.stream(context.getBeanDefinitionNames())
                .filter(name -> {
                    Class<?> type = context.getType(name);
                    return type != null
                            && type.getName().startsWith("dev.retryon.")
                            && !type.getName().startsWith(SwitchedOffTests.class.getName());
                })
                .toArray(String[]::new);
    }

    private static Integer tables(ConfigurableApplicationContext context) {
        return new JdbcTemplate(context.getBean(DataSource.class)).queryForObject(TABLES, Integer.class);
    }

    private static String[] threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.toLowerCase(Locale.ROOT).contains("retryon"))
                .toArray(String[]::new);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Payments payments() {
            return new Payments();
        }
    }

    static class Payments {

        private final AtomicInteger attempts = new AtomicInteger();

        @RetryOn(value = IOException.class, backoff = "none")
        @Durable(ON_EXHAUSTION)
        public void charge() throws IOException {
            throw new IOException("attempt " + attempts.incrementAndGet());
        }

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void chargeLater() throws IOException {
            throw new IOException("attempt " + attempts.incrementAndGet());
        }
    }
}
