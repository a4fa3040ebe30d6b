// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetter.Action;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterSummary;
import dev.retryon.durable.internal.engine.DeadLetterStore;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.core.simple.JdbcClient;

@Tag("database")
class PostgresDeadLetterStoreTests extends DeadLetterStoreContract {

    private final String database = TestPostgres.database();

    private HikariDataSource dataSource;

    @Override
    DeadLetterStore create() {
        dataSource = pool();
        return new JdbcDeadLetterStore(TestDatabase.store(dataSource, Database.POSTGRESQL));
    }

    private HikariDataSource pool() {
        return TestDatabase.pool(database, 10);
    }

    @AfterEach
    void close() {
        dataSource.close();
    }

    @Test
    @Tag("endurance")
    void twoProcessesMoveEachDeadLetterOnce() throws Exception {
        DeadLetterStore one = create();
        for (int i = 0; i < 1000; i++) {
            one.put(letter("id-" + i, i));
        }
        try (HikariDataSource second = pool()) {
            // The tables are there: the other process only uses them.
            DeadLetterStore other = new JdbcDeadLetterStore(TestDatabase.beside(second, Database.POSTGRESQL));
            ExecutorService threads = Executors.newFixedThreadPool(8);
            List<Future<Integer>> results = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                DeadLetterStore mine = i % 2 == 0 ? one : other;
                String who = i % 2 == 0 ? "one" : "other";
                results.add(threads.submit(() -> {
                    int moved = 0;
                    for (int j = 0; j < 1000; j++) {
                        Action action = new Action(START, who, DeadLetterStatus.RETRYING, null);
                        moved += mine.move("id-" + j, DeadLetterStatus.DEAD, action) ? 1 : 0;
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
                    .allSatisfy(letter -> assertThat(
                                    one.find(letter.id()).orElseThrow().actions())
                            .hasSize(1));
        }
    }

    /** The database refuses to read these columns, so a list that answers has not read them. */
    @Test
    void listsWithoutReadingArgumentsStackTracesOrHistories() throws Exception {
        create().put(letter("large", 0));
        String columns = "task_instance, name, error_code, error_type, error_message, attempt, reason, first_failed_at,"
                + " died_at, state, trace_id";
        JdbcClient.create(dataSource)
                .sql("drop role if exists reader; create role reader login;" + " grant select (method, task_name, "
                        + columns + ") on retryon_call to reader")
                .update();
        try (HikariDataSource restricted = TestDatabase.pool(database.replaceFirst("user=[^&]*", "user=reader"), 1)) {
            DeadLetterStore store = new JdbcDeadLetterStore(TestDatabase.beside(restricted, Database.POSTGRESQL));

            assertThat(store.list(DeadLetterFilter.ALL, null, 10).letters())
                    .extracting(DeadLetterSummary::id)
                    .containsExactly("large");
            assertThat(store.list(new DeadLetterFilter(Set.of(), null, null, "mails", null, null), null, 10)
                            .letters())
                    .hasSize(1);
            assertThat(store.groups(DeadLetterFilter.ALL, 10)).hasSize(1);
            assertThat(store.totals()).hasSize(1);
            assertThatThrownBy(() -> store.find("large")).hasStackTraceContaining("permission denied");
        } finally {
            JdbcClient.create(dataSource)
                    .sql("drop owned by reader; drop role reader")
                    .update();
        }
    }

    @Test
    void aLetterThatIsThereAlreadyDoesNotEndTheTransactionThatWritesIt() {
        create();
        RetryStore database = TestDatabase.store(dataSource, Database.POSTGRESQL);
        DeadLetterStore store = new JdbcDeadLetterStore(database);
        store.put(letter("a", 0));

        database.write(() -> {
            store.put(letter("a", 1));
            store.put(letter("b", 2));
            return true;
        });

        assertThat(store.find("a").orElseThrow().diedAt()).isEqualTo(START.plusSeconds(1));
        assertThat(store.find("b")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raise exception 'row refused: %', new", "perform pg_terminate_backend(pg_backend_pid())"})
    void aLetterThatTheDatabaseRefusesIsKeptWithoutItsLargeParts(String refusal) throws Exception {
        DeadLetterStore store = create();
        for (String statement : List.of(
                "create function refuse() returns trigger as $$ begin " + refusal
                        + "; return new; end $$ language plpgsql",
                "create trigger refuse before insert on retryon_call for each row"
                        + " when (new.arguments like '%a%') execute function refuse()")) {
            JdbcClient.create(dataSource).sql(statement).update();
        }

        store.put(letter("refused", 0));
        store.put(letter("fine", 0).withArguments("[]"));

        DeadLetter kept = store.find("refused").orElseThrow();
        assertThat(kept.status()).isEqualTo(DeadLetterStatus.DEAD);
        assertThat(kept.arguments()).isNull();
        assertThat(kept.stackTrace()).isNull();
        assertThat(kept.errorMessage()).isEqualTo(letter("refused", 0).errorMessage());
        assertThat(kept.actions())
                .singleElement()
                .extracting(Action::detail)
                .asString()
                .contains("refused them");
        assertThat(store.find("fine").orElseThrow().arguments()).isEqualTo("[]");
    }

    @Test
    void noStatementWaitsForEver() throws Exception {
        create();
        DeadLetterStore store =
                new JdbcDeadLetterStore(TestDatabase.beside(dataSource, Database.POSTGRESQL, Duration.ofSeconds(1)));
        ExecutorService threads = Executors.newCachedThreadPool();
        try (Connection blocker = dataSource.getConnection();
                Statement statement = blocker.createStatement()) {
            blocker.setAutoCommit(false);
            statement.execute("lock table retryon_call in access exclusive mode");
            List<Future<?>> waiting = List.of(
                    threads.submit(() -> store.list(DeadLetterFilter.ALL, null, 1)),
                    threads.submit(() -> store.count(DeadLetterFilter.ALL)),
                    threads.submit(store::totals),
                    threads.submit(() -> store.delete(START, 1)),
                    threads.submit(() -> store.move(
                            "a", DeadLetterStatus.DEAD, new Action(START, null, DeadLetterStatus.DISCARDED, null))),
                    threads.submit(() -> store.put(letter("a", 0))));

            assertThat(waiting)
                    .allSatisfy(each -> assertThatThrownBy(() -> each.get(20, TimeUnit.SECONDS))
                            .hasCauseInstanceOf(QueryTimeoutException.class));
        } finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            [{"attempt": | x
            [null] | [null]
            [{"errorType":"x"}] | [{"what":"DEAD"}]
            null | [{"at":1}]
            {} | [{"at":1,"what":"BURIED"}]
            """)
    void aRowThatWasEditedByHandCanStillBeLookedAt(String failures, String actions) {
        DeadLetterStore store = create();
        store.put(letter("odd", 0));
        JdbcClient.create(dataSource)
                .sql("update retryon_call set failures = :failures, actions = :actions, reason = 'WHATEVER',"
                        + " state = 'BURIED' where task_instance = 'odd'")
                .param("failures", failures)
                .param("actions", actions)
                .update();

        assertThat(store.find("odd")).hasValueSatisfying(letter -> {
            assertThat(letter.failures()).isEmpty();
            assertThat(letter.actions()).isEmpty();
        });
        assertThat(store.list(DeadLetterFilter.ALL, null, 10).letters()).hasSize(1);
    }
}
