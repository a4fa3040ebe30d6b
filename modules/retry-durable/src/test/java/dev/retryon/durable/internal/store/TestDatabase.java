// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.spring.RetryFault;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Databases with the tables, as the store that is chosen for an application has them. */
public final class TestDatabase {

    private TestDatabase() {}

    /** The calls of an empty database in memory, which several applications can share. */
    public static CallStore calls() {
        DataSource dataSource = new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        return store(dataSource, Database.H2).calls();
    }

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
    static RetryStore store(DataSource dataSource, Database database) {
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
    static RetryStore beside(DataSource dataSource, Database database) {
        return beside(dataSource, database, Duration.ofSeconds(10));
    }

    static RetryStore beside(DataSource dataSource, Database database, Duration timeout) {
        CallerTransaction caller =
                new CallerTransaction(dataSource, false, new CallerTransaction.Managers(null, Set.of()));
        RetryStore.Ways ways = new RetryStore.Ways(null, caller, () -> {}, ex -> {});
        return new RetryStore(dataSource, database, false, SchemaSettings.UNNAMED, ways, timeout);
    }
}
