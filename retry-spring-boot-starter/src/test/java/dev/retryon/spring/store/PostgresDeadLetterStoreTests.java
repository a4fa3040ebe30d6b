/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.retryon.deadletter.DeadLetter.Action;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;

class PostgresDeadLetterStoreTests extends DeadLetterStoreContract {

    private final String database = TestPostgres.database();

    private HikariDataSource dataSource;

    @Override
    DeadLetterStore create() {
        dataSource = pool();
        return new JdbcDeadLetterStore(TestDatabase.store(dataSource, Database.POSTGRESQL), clock);
    }

    private HikariDataSource pool() {
        return TestDatabase.pool(database, 10);
    }

    @AfterEach
    void close() {
        dataSource.close();
    }

    @Test
    void twoProcessesMoveEachDeadLetterOnce() throws Exception {
        DeadLetterStore one = create();
        for (int i = 0; i < 1000; i++) {
            one.put(letter("id-" + i, i));
        }
        try (HikariDataSource second = pool()) {
            // The tables are there: the other process only uses them.
            DeadLetterStore other = new JdbcDeadLetterStore(
                    new RetryStore(second, Database.POSTGRESQL, false, new JdbcTransactionManager(second), true),
                    clock);
            ExecutorService threads = Executors.newFixedThreadPool(8);
            List<Future<Integer>> results = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                DeadLetterStore mine = i % 2 == 0 ? one : other;
                String who = i % 2 == 0 ? "one" : "other";
                results.add(threads.submit(() -> {
                    int moved = 0;
                    for (int j = 0; j < 1000; j++) {
                        Action action = new Action(START, who, DeadLetterStatus.RETRYING, null);
                        moved += mine.move("id-" + j, action, DeadLetterStore.Hold.create(START.plusSeconds(40)))
                                ? 1
                                : 0;
                    }
                    return moved;
                }));
            }
            int moved = 0;
            for (Future<Integer> result : results) {
                moved += result.get();
            }
            threads.shutdown();

            assertThat(moved).isEqualTo(1000);
            assertThat(one.count(DeadLetterFilter.of(DeadLetterStatus.RETRYING)))
                    .isEqualTo(1000);
            assertThat(one.list(DeadLetterFilter.ALL, null, 1000).letters())
                    .allSatisfy(letter -> assertThat(letter.actions()).hasSize(1));
        }
    }

    @Test
    void aRowThatWasEditedByHandCanStillBeLookedAt() {
        DeadLetterStore store = create();
        store.put(letter("odd", 0));
        JdbcClient.create(dataSource)
                .sql("update retryon_dead_letter set failures = '[{\"attempt\":', actions = 'x', reason = 'WHATEVER',"
                        + " status = 'BURIED' where id = 'odd'")
                .update();

        assertThat(store.find("odd")).hasValueSatisfying(letter -> {
            assertThat(letter.failures()).isEmpty();
            assertThat(letter.actions()).isEmpty();
        });
        assertThat(store.list(DeadLetterFilter.ALL, null, 10).letters()).hasSize(1);
    }
}
