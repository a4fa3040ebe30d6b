// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.durable;

import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;

/** The engine with a database, in two processes that share it. */
@Tag("slow")
class DbSchedulerContractTests extends CallEngineContract {

    private static ConfigurableApplicationContext one;

    private static ConfigurableApplicationContext other;

    @BeforeAll
    static void open() {
        // The leases of the first are not confirmed in time.
        one = process("retryon.durable.heartbeat-interval=1h");
        other = process("retryon.durable.heartbeat-interval=100ms");
    }

    private static ConfigurableApplicationContext process(String property) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=jdbc:h2:mem:contract;DB_CLOSE_DELAY=-1",
                        "spring.main.banner-mode=off",
                        "retryon.jdbc.initialize-schema=always",
                        "retryon.durable.threads=1",
                        "retryon.durable.poll-interval=50ms",
                        property)
                .run();
    }

    @BeforeEach
    void empty() {
        // Opens the store, which creates the tables.
        engine().transactions();
        one.getBean(JdbcTemplate.class).update("delete from retryon_call");
    }

    @AfterAll
    static void close() {
        other.close();
        one.close();
    }

    @Override
    protected CallEngine engine() {
        return one.getBean(CallEngine.class);
    }

    @Override
    protected CallStore store() {
        return one.getBean(CallStore.class);
    }

    @Override
    protected CallEngine otherProcess() {
        return other.getBean(CallEngine.class);
    }

    @Override
    protected PlatformTransactionManager transactionManager() {
        return one.getBean(PlatformTransactionManager.class);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        JdbcTemplateAutoConfiguration.class,
        RetryAutoConfiguration.class,
        RetryDurableCoreAutoConfiguration.class,
        RetryDurableAutoConfiguration.class
    })
    static class Application {}
}
