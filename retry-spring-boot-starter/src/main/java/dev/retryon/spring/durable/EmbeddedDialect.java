/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import com.github.kagkarlsson.scheduler.jdbc.JdbcTaskRepositoryContext;
import com.github.kagkarlsson.scheduler.task.Execution;
import dev.retryon.spring.store.RetryStore;
import java.time.Instant;
import java.util.List;

/**
 * SQLite in a file of our own: the calls that are due are held by one statement, as on PostgreSQL. One call at a time takes the
 * scheduler an update, which is a commit of its own, and a query for each of them, and all of it waits for the only connection.
 *
 * <p>A file of the application keeps the scheduler's way, because this statement takes SQLite's only write lock at each poll.
 */
final class EmbeddedDialect extends SqliteDialect {

    /** The plus keeps the name, which all rows have, from choosing the index: they would all be sorted at each poll. */
    private static final String HOLD = "update " + RetryStore.CALLS
            + " set picked = ?, picked_by = ?, last_heartbeat = ?, version = version + 1"
            + " where rowid in (select rowid from " + RetryStore.CALLS
            + " where +task_name = ? and picked = ? and execution_time <= ? order by execution_time limit ?)"
            + " returning *";

    private final FullLook fullLook;

    EmbeddedDialect(FullLook fullLook) {
        this.fullLook = fullLook;
    }

    @Override
    public boolean supportsSingleStatementLockAndFetch() {
        return true;
    }

    @Override
    public List<Execution> lockAndFetchSingleStatement(
            JdbcTaskRepositoryContext scheduler, Instant now, int limit, boolean orderByPriority) {
        List<Execution> held = scheduler.jdbcRunner.query(
                HOLD,
                statement -> {
                    statement.setBoolean(1, true);
                    statement.setString(2, scheduler.schedulerName.getName());
                    setInstant(statement, 3, now);
                    statement.setString(4, CallTable.TASK);
                    statement.setBoolean(5, false);
                    setInstant(statement, 6, now);
                    statement.setInt(7, limit);
                },
                scheduler.resultSetMapper.get());
        return fullLook.of(held, limit);
    }
}
