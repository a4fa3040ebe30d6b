// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.retryon.spring.RetryFault;
import java.time.Duration;
import java.util.List;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Databases with the tables, as the store that is chosen for an application has them. */
final class TestDatabase {

    private TestDatabase() {}

    static HikariDataSource pool(String url, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(size);
        if (url.startsWith("jdbc:sqlite:")) {
            config.addDataSourceProperty("journal_mode", "WAL");
            config.addDataSourceProperty("transaction_mode", "IMMEDIATE");
        }
        return new HikariDataSource(config);
    }

    /** The store, without dead letters. */
    static RetryStore store(HikariDataSource dataSource, Database database) {
        SchemaSettings settings =
                new SchemaSettings(SchemaSettings.Mode.ALWAYS, SchemaSettings.DEFAULT_SCRIPT, null, false, null);
        StoreSchema schema = new StoreSchema(settings, new DefaultResourceLoader());
        RetryFault fault = schema.prepare(dataSource, database, false);
        if (fault != null) {
            throw new IllegalStateException(fault.toString());
        }
        JdbcClient.create(dataSource).sql("delete from " + RetryStore.CALLS).update();
        return beside(dataSource, database);
    }

    /** A store whose tables are there already. */
    static RetryStore beside(HikariDataSource dataSource, Database database) {
        return beside(dataSource, database, Duration.ofSeconds(10));
    }

    static RetryStore beside(HikariDataSource dataSource, Database database, Duration timeout) {
        StoreTransactions.Ways ways = new StoreTransactions.Ways(
                null, new CallerTransaction(dataSource, List.of()), null, false, () -> {}, ex -> {});
        StoreTransactions transactions = new StoreTransactions(dataSource, ways, new TimeLimit(timeout, database));
        return new RetryStore(dataSource, database, false, SchemaSettings.UNNAMED, true, transactions);
    }
}
