// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import com.zaxxer.hikari.HikariDataSource;
import dev.retryon.durable.internal.engine.CallStore;
import org.junit.jupiter.api.AfterEach;

class H2CallStoreTests extends CallStoreContract {

    private final HikariDataSource dataSource = TestDatabase.pool("jdbc:h2:mem:letters;DB_CLOSE_DELAY=-1", 10);

    @Override
    protected CallStore create() {
        return new JdbcCallStore(TestDatabase.store(dataSource, Database.H2));
    }

    @AfterEach
    void close() {
        dataSource.close();
    }
}
