/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.call;

import com.github.kagkarlsson.scheduler.jdbc.SqliteJdbcCustomization;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * SQLite as db-scheduler knows it, with times in milliseconds: the driver would write them as texts, or in seconds, where the
 * URL says so ({@code date_class}, {@code date_precision}), and fail on what it can't read.
 */
class SqliteDialect extends SqliteJdbcCustomization {

    private final DueCalls due;

    SqliteDialect(DueCalls due) {
        this.due = due;
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
}
