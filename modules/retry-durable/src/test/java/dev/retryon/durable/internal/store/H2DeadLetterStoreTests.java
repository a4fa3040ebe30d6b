// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import com.zaxxer.hikari.HikariDataSource;
import dev.retryon.durable.internal.engine.DeadLetterStore;
import org.junit.jupiter.api.AfterEach;

class H2DeadLetterStoreTests extends DeadLetterStoreContract {

    private final HikariDataSource dataSource = TestDatabase.pool("jdbc:h2:mem:letters;DB_CLOSE_DELAY=-1", 10);

    @Override
    DeadLetterStore create() {
        return new JdbcDeadLetterStore(TestDatabase.store(dataSource, Database.H2));
    }

    @AfterEach
    void close() {
        dataSource.close();
    }
}
