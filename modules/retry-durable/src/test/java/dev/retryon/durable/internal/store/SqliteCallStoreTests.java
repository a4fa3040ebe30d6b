// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallStore;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;

@Tag("slow")
class SqliteCallStoreTests extends CallStoreContract {

    @TempDir
    private Path folder;

    private HikariDataSource dataSource;

    @Override
    protected CallStore create() {
        dataSource = TestDatabase.pool("jdbc:sqlite:" + folder.resolve("letters.db"), 1);
        return new JdbcCallStore(TestDatabase.store(dataSource, Database.SQLITE));
    }

    /** A text comes after all numbers: nothing would be listed behind such a time. */
    @ParameterizedTest
    @ValueSource(strings = {"died_at = 'soon'", "died_at = 1.5"})
    void anEditThatWouldHideDeadLettersIsRefused(String edit) {
        CallStore store = create();
        store.put(letter("one", 1));
        store.put(letter("two", 2));
        JdbcClient jdbc = JdbcClient.create(dataSource);

        assertThatThrownBy(() -> jdbc.sql("update retryon_call set " + edit + " where task_instance = 'one'")
                        .update())
                .hasMessageContaining("CHECK constraint failed");

        StoredCalls.Page first = store.list(StoredCalls.Filter.ALL, null, 1);
        assertThat(store.list(StoredCalls.Filter.ALL, first.next(), 1).calls()).hasSize(1);
    }

    @AfterEach
    void close() {
        dataSource.close();
    }
}
