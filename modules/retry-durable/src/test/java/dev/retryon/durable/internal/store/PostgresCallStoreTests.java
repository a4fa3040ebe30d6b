// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.retryon.durable.StoredCall.Action;
import dev.retryon.durable.StoredCall.Action.What;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
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
class PostgresCallStoreTests extends CallStoreContract {

    private final String database = TestPostgres.database();

    private HikariDataSource dataSource;

    @Override
    protected CallStore create() {
        dataSource = pool();
        return new JdbcCallStore(TestDatabase.store(dataSource, Database.POSTGRESQL));
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
        CallStore one = create();
        for (int i = 0; i < 1000; i++) {
            one.put(letter("id-" + i, i));
        }
        try (HikariDataSource second = pool()) {
            // The tables are there: the other process only uses them.
            CallStore other = new JdbcCallStore(TestDatabase.beside(second, Database.POSTGRESQL));
            ExecutorService threads = Executors.newFixedThreadPool(8);
            List<Future<Integer>> results = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                CallStore mine = i % 2 == 0 ? one : other;
                String who = i % 2 == 0 ? "one" : "other";
                results.add(threads.submit(() -> {
                    int moved = 0;
                    for (int j = 0; j < 1000; j++) {
                        moved += resend(mine, "id-" + j, who) ? 1 : 0;
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
            assertThat(one.count(StoredCalls.Filter.of(State.WAITING))).isEqualTo(1000);
            assertThat(one.list(StoredCalls.Filter.ALL, null, 1000).calls())
                    .allSatisfy(letter -> assertThat(
                                    one.died(letter.id()).orElseThrow().actions())
                            .hasSize(1));
        }
    }

    /** The database refuses to read these columns, so a list that answers has not read them. */
    @Test
    void listsWithoutReadingArgumentsStackTracesOrHistories() throws Exception {
        create().put(letter("large", 0));
        String columns =
                "task_instance, name, error_type, error_message, lane, attempt, reason, first_failed_at, died_at,"
                        + " state, started_at, execution_time, picked, version, order_key";
        JdbcClient.create(dataSource)
                .sql("drop role if exists reader; create role reader login;" + " grant select (method, task_name, "
                        + columns + ") on retryon_call to reader")
                .update();
        try (HikariDataSource restricted = TestDatabase.pool(database.replaceFirst("user=[^&]*", "user=reader"), 1)) {
            CallStore store = new JdbcCallStore(TestDatabase.beside(restricted, Database.POSTGRESQL));

            assertThat(store.list(StoredCalls.Filter.ALL, null, 10).calls())
                    .extracting(StoredCalls.Summary::id)
                    .containsExactly("large");
            assertThat(store.list(new StoredCalls.Filter(Set.of(), null, null, null, "mails", null, null), null, 10)
                            .calls())
                    .hasSize(1);
            assertThat(store.groups(StoredCalls.Filter.ALL, 10)).hasSize(1);
            assertThat(store.totals()).hasSize(1);
            assertThatThrownBy(() -> store.died("large")).hasStackTraceContaining("permission denied");
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
        CallStore store = new JdbcCallStore(database);
        store.put(letter("a", 0));

        database.write(() -> {
            store.put(letter("a", 1));
            store.put(letter("b", 2));
            return true;
        });

        assertThat(store.died("a").orElseThrow().diedAt()).isEqualTo(START.plusSeconds(1));
        assertThat(store.died("b")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"raise exception 'row refused: %', new", "perform pg_terminate_backend(pg_backend_pid())"})
    void aLetterThatTheDatabaseRefusesIsKeptWithoutItsLargeParts(String refusal) throws Exception {
        CallStore store = create();
        for (String statement : List.of(
                "create function refuse() returns trigger as $$ begin " + refusal
                        + "; return new; end $$ language plpgsql",
                "create trigger refuse before insert on retryon_call for each row"
                        + " when (new.arguments like '%a%') execute function refuse()")) {
            JdbcClient.create(dataSource).sql(statement).update();
        }

        store.put(letter("refused", 0));
        store.put(letter("fine", 0).withArguments("[]"));

        DeadLetter kept = store.died("refused").orElseThrow();
        assertThat(kept.state()).isEqualTo(State.DEAD);
        assertThat(kept.arguments()).isNull();
        assertThat(kept.stackTrace()).isNull();
        assertThat(kept.errorMessage()).isEqualTo(letter("refused", 0).errorMessage());
        assertThat(kept.actions())
                .singleElement()
                .extracting(Action::detail)
                .asString()
                .contains("rejected them");
        assertThat(store.died("fine").orElseThrow().arguments()).isEqualTo("[]");
    }

    @Test
    void noStatementWaitsForEver() throws Exception {
        create();
        CallStore store =
                new JdbcCallStore(TestDatabase.beside(dataSource, Database.POSTGRESQL, Duration.ofSeconds(1)));
        ExecutorService threads = Executors.newCachedThreadPool();
        try (Connection blocker = dataSource.getConnection();
                Statement statement = blocker.createStatement()) {
            blocker.setAutoCommit(false);
            statement.execute("lock table retryon_call in access exclusive mode");
            List<Future<?>> waiting = List.of(
                    threads.submit(() -> store.list(StoredCalls.Filter.ALL, null, 1)),
                    threads.submit(() -> store.count(StoredCalls.Filter.ALL)),
                    threads.submit(store::totals),
                    threads.submit(() -> store.delete(START, 1)),
                    threads.submit(() -> store.discard("a", new Action(START, null, What.DISCARDED, null))),
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
            [{"errorType":"x"}] | [{"what":"DIED"}]
            null | [{"at":1}]
            {} | [{"at":1,"what":"BURIED"}]
            """)
    void aRowThatWasEditedByHandCanStillBeLookedAt(String failures, String actions) {
        CallStore store = create();
        store.put(letter("odd", 0));
        JdbcClient.create(dataSource)
                .sql("update retryon_call set failures = :failures, actions = :actions, reason = 'WHATEVER'"
                        + " where task_instance = 'odd'")
                .param("failures", failures)
                .param("actions", actions)
                .update();

        assertThat(store.list(StoredCalls.Filter.ALL, null, 10).calls()).hasSize(1);
        JdbcClient.create(dataSource)
                .sql("update retryon_call set state = 'BURIED'")
                .update();
        assertThat(store.died("odd")).hasValueSatisfying(letter -> {
            assertThat(letter.state()).isEqualTo(State.DEAD);
            assertThat(letter.failures()).isEmpty();
            assertThat(letter.actions()).isEmpty();
        });
    }
}
