/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.store;

import com.zaxxer.hikari.HikariDataSource;
import dev.retryon.deadletter.DeadLetterStore;
import org.junit.jupiter.api.AfterEach;

class MariaDbDeadLetterStoreTests extends DeadLetterStoreContract {

    private final HikariDataSource dataSource = TestDatabase.pool(TestMariaDb.database(), 10);

    @Override
    DeadLetterStore create() {
        return new JdbcDeadLetterStore(TestDatabase.store(dataSource, Database.MARIADB), clock);
    }

    @AfterEach
    void close() {
        dataSource.close();
    }
}
