// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallStore;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("database")
class MariaDbCallStoreTests extends CallStoreContract {

    private final HikariDataSource dataSource = TestDatabase.pool(url(), 10);

    @Override
    protected CallStore create() {
        return new JdbcCallStore(TestDatabase.store(dataSource, database()));
    }

    String url() {
        return TestMariaDb.database();
    }

    Database database() {
        return Database.MARIADB;
    }

    /** At the default isolation, where a lock on a missing row is a lock on the gap that other rows go into. */
    @Test
    void noLetterIsLostToADeadlock() throws Exception {
        int threads = 4;
        int letters = 500;
        CallStore store = create();
        ExecutorService callers = Executors.newFixedThreadPool(threads);
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < threads * letters; i++) {
            all.add(callers.submit(() -> store.put(letter(UUID.randomUUID().toString(), 0))));
        }
        callers.shutdown();

        List<Throwable> lost = new ArrayList<>();
        for (Future<?> each : all) {
            try {
                each.get();
            } catch (ExecutionException ex) {
                lost.add(ex.getCause());
            }
        }
        assertThat(lost).isEmpty();
        assertThat(store.count(StoredCalls.Filter.ALL)).isEqualTo(threads * letters);
    }

    @AfterEach
    void close() {
        dataSource.close();
    }
}
