// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import com.github.kagkarlsson.scheduler.jdbc.DefaultJdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.JdbcTaskRepositoryContext;
import com.github.kagkarlsson.scheduler.task.Execution;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a database writes times, and how db-scheduler finds due calls. In SQLite, times are milliseconds. If the URL requires
 * it ({@code date_class}, {@code date_precision}), the driver would otherwise write times as texts or in seconds, and fail
 * on values that it cannot read. In MariaDB and MySQL, times are in UTC, because the columns have no time zone.
 */
public final class CallDialect extends DefaultJdbcCustomization {

    private final boolean isMillis;

    private final Looks looks;

    /** Leases due calls, at most one for each free thread. */
    @FunctionalInterface
    public interface Looks {

        List<Execution> look(int limit, String scheduler);
    }

    public CallDialect(Database database, Looks looks) {
        super(database.isInnoDb());
        this.isMillis = database == Database.SQLITE;
        this.looks = looks;
    }

    @Override
    public void setInstant(PreparedStatement statement, int index, @Nullable Instant time) throws SQLException {
        if (!isMillis) {
            super.setInstant(statement, index, time);
        } else if (time == null) {
            statement.setNull(index, Types.BIGINT);
        } else {
            statement.setLong(index, time.toEpochMilli());
        }
    }

    @Override
    public @Nullable Instant getInstant(ResultSet row, String column) throws SQLException {
        if (!isMillis) {
            return super.getInstant(row, column);
        }
        long millis = row.getLong(column);
        return row.wasNull() ? null : Instant.ofEpochMilli(millis);
    }

    @Override
    public boolean supportsSingleStatementLockAndFetch() {
        return true;
    }

    @Override
    public List<Execution> lockAndFetchSingleStatement(
            JdbcTaskRepositoryContext scheduler, Instant now, int limit, boolean orderByPriority) {
        return looks.look(limit, scheduler.schedulerName.getName());
    }
}
