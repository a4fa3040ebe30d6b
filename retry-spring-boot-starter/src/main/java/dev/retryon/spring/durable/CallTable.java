/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import com.github.kagkarlsson.scheduler.jdbc.DefaultJdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.JdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.MariaDBJdbcCustomization;
import com.github.kagkarlsson.scheduler.task.Execution;
import dev.retryon.spring.store.RetryStore;
import java.time.Instant;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * What is written to db-scheduler's table in the transaction of the thread, which the scheduler itself would commit. A call is
 * written only by who holds it: each hold has another version.
 */
final class CallTable {

    /** One for all methods: the scheduler deletes calls of tasks that it does not know. */
    static final String TASK = "retryon";

    /** The length of the column, in characters. */
    private static final int ERROR_LENGTH = 500;

    private static final String MINE = " where task_name = ? and task_instance = ? and version = ?";

    private final JdbcTemplate jdbc;

    private final JdbcCustomization dialect;

    /** The table of a store; {@code lookAgain} has the scheduler look for due calls once more. */
    CallTable(RetryStore store, Runnable lookAgain) {
        this.jdbc = store.template();
        this.dialect = dialect(store, new FullLook(lookAgain));
    }

    private static JdbcCustomization dialect(RetryStore store, FullLook fullLook) {
        // Columns without a time zone hold UTC.
        return switch (store.database()) {
            case POSTGRESQL -> new PostgresDialect(fullLook);
            case MARIADB -> new MariaDBJdbcCustomization(true);
            case SQLITE -> store.isOwn() ? new EmbeddedDialect(fullLook) : new SqliteDialect();
            case H2 -> new DefaultJdbcCustomization(false);
        };
    }

    /** How the database writes times and finds calls. */
    JdbcCustomization dialect() {
        return dialect;
    }

    void add(String id, byte[] call, CallEngine.Label label, Instant due) {
        jdbc.update(
                "insert into " + RetryStore.CALLS
                        + " (task_name, task_instance, task_data, execution_time, picked, version,"
                        + " name, error_type, attempt, started_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                statement -> {
                    statement.setString(1, TASK);
                    statement.setString(2, id);
                    dialect.setTaskData(statement, 3, call);
                    dialect.setInstant(statement, 4, due);
                    statement.setBoolean(5, false);
                    statement.setLong(6, 1);
                    statement.setString(7, RetryStore.storable(label.name(), RetryStore.LONGEST_NAME));
                    statement.setString(8, RetryStore.storable(label.errorType(), ERROR_LENGTH));
                    statement.setInt(9, label.attempt());
                    statement.setLong(10, label.startedAt().toEpochMilli());
                });
    }

    /** Makes a call due again after an attempt. */
    void release(Execution held, byte[] call, CallEngine.Label label, Instant due) {
        int changed = jdbc.update(
                "update " + RetryStore.CALLS
                        + " set picked = ?, picked_by = null, last_heartbeat = null, consecutive_failures = 0,"
                        + " task_data = ?, execution_time = ?, error_type = ?, attempt = ?, version = version + 1"
                        + MINE,
                statement -> {
                    statement.setBoolean(1, false);
                    dialect.setTaskData(statement, 2, call);
                    dialect.setInstant(statement, 3, due);
                    statement.setString(4, RetryStore.storable(label.errorType(), ERROR_LENGTH));
                    statement.setInt(5, label.attempt());
                    statement.setString(6, TASK);
                    statement.setString(7, held.getId());
                    statement.setLong(8, held.version);
                });
        check(changed, held);
    }

    /** Makes a call due again without an attempt; with failures the next hold is one that revives it. */
    void postpone(Execution held, byte[] call, Instant due) {
        int changed = jdbc.update(
                "update " + RetryStore.CALLS
                        + " set picked = ?, picked_by = null, last_heartbeat = null, task_data = ?, execution_time = ?,"
                        + " version = version + 1" + MINE,
                statement -> {
                    statement.setBoolean(1, false);
                    dialect.setTaskData(statement, 2, call);
                    dialect.setInstant(statement, 3, due);
                    statement.setString(4, TASK);
                    statement.setString(5, held.getId());
                    statement.setLong(6, held.version);
                });
        check(changed, held);
    }

    void remove(Execution held) {
        int changed = jdbc.update("delete from " + RetryStore.CALLS + MINE, TASK, held.getId(), held.version);
        check(changed, held);
    }

    private static void check(int changed, Execution held) {
        if (changed == 0) {
            throw new LeaseLostException(held.getId());
        }
    }

    CallEngine.Backlog backlog() {
        return jdbc.query(
                        "select count(*) as waiting, min(execution_time) as next_due from " + RetryStore.CALLS
                                + " where picked = ?",
                        statement -> statement.setBoolean(1, false),
                        (row, number) ->
                                new CallEngine.Backlog(row.getLong("waiting"), dialect.getInstant(row, "next_due")))
                .get(0);
    }
}
