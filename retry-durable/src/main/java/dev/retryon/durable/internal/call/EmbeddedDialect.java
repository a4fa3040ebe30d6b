/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.call;

import com.github.kagkarlsson.scheduler.jdbc.JdbcTaskRepositoryContext;
import com.github.kagkarlsson.scheduler.task.Execution;
import dev.retryon.durable.internal.store.RetryStore;
import java.time.Instant;
import java.util.List;

/**
 * SQLite in a file of our own: the calls that are due are held by one statement, as on PostgreSQL. One call at a time takes the
 * scheduler an update, which is a commit of its own, and a query for each of them, and all of it waits for the only connection.
 *
 * <p>A file of the application keeps the scheduler's way, because this statement takes SQLite's only write lock at each poll.
 */
final class EmbeddedDialect extends SqliteDialect {

    private final DueCalls due;

    EmbeddedDialect(DueCalls due) {
        super(due);
        this.due = due;
    }

    @Override
    public boolean supportsSingleStatementLockAndFetch() {
        return true;
    }

    @Override
    public List<Execution> lockAndFetchSingleStatement(
            JdbcTaskRepositoryContext scheduler, Instant now, int limit, boolean orderByPriority) {
        return due.look(
                limit,
                (condition, from, most) -> scheduler.jdbcRunner.query(
                        "update " + RetryStore.CALLS
                                + " set picked = ?, picked_by = ?, last_heartbeat = ?, version = version + 1"
                                + " where rowid in (select rowid from " + RetryStore.CALLS + " where " + condition
                                + " and picked = ? and execution_time <= ? order by execution_time limit ?)"
                                + " returning *",
                        statement -> {
                            statement.setBoolean(1, true);
                            statement.setString(2, scheduler.schedulerName.getName());
                            setInstant(statement, 3, now);
                            statement.setBoolean(4, false);
                            setInstant(statement, 5, now);
                            statement.setInt(6, most);
                        },
                        scheduler.resultSetMapper.get()));
    }
}
