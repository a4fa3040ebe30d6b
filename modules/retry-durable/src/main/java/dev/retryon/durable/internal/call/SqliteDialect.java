// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import com.github.kagkarlsson.scheduler.jdbc.JdbcTaskRepositoryContext;
import com.github.kagkarlsson.scheduler.jdbc.SqliteJdbcCustomization;
import com.github.kagkarlsson.scheduler.task.Execution;
import dev.retryon.durable.internal.store.RetryStore;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * SQLite as db-scheduler knows it, with times in milliseconds: the driver would write them as texts, or in seconds, where the
 * URL says so ({@code date_class}, {@code date_precision}), and fail on what it can't read.
 *
 * <p>In the embedded store, one statement leases all due calls, as on PostgreSQL. The scheduler would run a transaction and a
 * query for each call, and they would wait for the only connection. In a database of the application, calls are leased one
 * by one, because the statement takes SQLite's only write lock at each poll.
 */
final class SqliteDialect extends SqliteJdbcCustomization {

    private final DueCalls due;

    private final boolean own;

    SqliteDialect(DueCalls due, boolean own) {
        this.due = due;
        this.own = own;
    }

    @Override
    public String createSelectDueQuery(String table, int limit, String condition, boolean orderByPriority) {
        return due.query(limit, condition);
    }

    @Override
    public void setInstant(PreparedStatement statement, int index, @Nullable Instant time) throws SQLException {
        if (time == null) {
            statement.setNull(index, Types.BIGINT);
        } else {
            statement.setLong(index, time.toEpochMilli());
        }
    }

    @Override
    public @Nullable Instant getInstant(ResultSet row, String column) throws SQLException {
        long millis = row.getLong(column);
        return row.wasNull() ? null : Instant.ofEpochMilli(millis);
    }

    @Override
    public boolean supportsSingleStatementLockAndFetch() {
        return own;
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
                                + " and state = 'WAITING' and picked = ? and execution_time <= ? order by execution_time limit ?)"
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
