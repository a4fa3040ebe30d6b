// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.durable.internal.store.StoreChoice;
import dev.retryon.durable.internal.store.TestMariaDb;
import dev.retryon.durable.internal.store.TestMySql;
import dev.retryon.durable.internal.store.TestPostgres;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;

/** Applications with durable calls, and what they leave in the store. */
public final class DurableTrial {

    private DurableTrial() {}

    /** An application that keeps its calls in a file, and looks for them often. */
    public static ApplicationContextRunner embedded(Path folder) {
        return application()
                .withPropertyValues(
                        "retryon.durable.store=embedded", "retryon.durable.path=" + folder.resolve("calls.db"));
    }

    /** An application whose database is in memory. */
    public static ApplicationContextRunner inMemory() {
        return application()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class));
    }

    /** An application with a database of its own on the PostgreSQL server of all tests. */
    static ApplicationContextRunner postgres() {
        return at(TestPostgres.database());
    }

    /** An application with a database of its own on the MariaDB server of all tests. */
    static ApplicationContextRunner mariaDb() {
        return at(TestMariaDb.database());
    }

    /** An application with its own database on the MySQL server of all tests. */
    static ApplicationContextRunner mySql() {
        return at(TestMySql.database());
    }

    private static ApplicationContextRunner at(String url) {
        return inMemory().withPropertyValues("spring.datasource.url=" + url, "retryon.jdbc.initialize-schema=always");
    }

    public static ApplicationContextRunner application() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        RetryDurableCoreAutoConfiguration.class,
                        RetryAutoConfiguration.class,
                        RetryDurableAutoConfiguration.class))
                .withPropertyValues(
                        "retryon.defaults.delay=10ms",
                        "retryon.defaults.jitter=none",
                        "retryon.durable.poll-interval=50ms",
                        "retryon.durable.heartbeat-interval=2s");
    }

    static RetryStore store(ApplicationContext context) {
        return context.getBean(StoreChoice.class).get();
    }

    /** How many calls are stored, waiting or running. */
    static long stored(ApplicationContext context) {
        return store(context)
                .jdbc()
                .sql("select count(*) from " + RetryStore.CALLS + " where state = 'WAITING'")
                .query(Long.class)
                .single();
    }

    static List<DeadLetter> deadLetters(ApplicationContext context) {
        CallStore store = context.getBean(CallStore.class);
        List<DeadLetter> all = new ArrayList<>();
        String cursor = null;
        do {
            StoredCalls.Page page = store.list(StoredCalls.Filter.ALL, cursor, 1000);
            page.calls().forEach(listed -> store.died(listed.id()).ifPresent(all::add));
            cursor = page.next();
        } while (cursor != null);
        return all;
    }

    /** Waits for what workers do on their threads. */
    public static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(5));
    }
}
