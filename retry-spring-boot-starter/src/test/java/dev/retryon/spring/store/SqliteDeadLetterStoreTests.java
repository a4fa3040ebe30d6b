/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.store;

import com.zaxxer.hikari.HikariDataSource;
import dev.retryon.deadletter.DeadLetterStore;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

class SqliteDeadLetterStoreTests extends DeadLetterStoreContract {

    @TempDir
    private Path folder;

    private HikariDataSource dataSource;

    @Override
    DeadLetterStore create() {
        dataSource = TestDatabase.pool("jdbc:sqlite:" + folder.resolve("letters.db"), 1);
        return new JdbcDeadLetterStore(TestDatabase.store(dataSource, Database.SQLITE), clock);
    }

    @AfterEach
    void close() {
        dataSource.close();
    }
}
