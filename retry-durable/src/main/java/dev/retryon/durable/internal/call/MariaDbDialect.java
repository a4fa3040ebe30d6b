/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.call;

import com.github.kagkarlsson.scheduler.jdbc.MariaDBJdbcCustomization;

/** db-scheduler's dialect of MariaDB, with a look for due calls of one application. Columns without a time zone hold UTC. */
final class MariaDbDialect extends MariaDBJdbcCustomization {

    private final DueCalls due;

    MariaDbDialect(DueCalls due) {
        super(true);
        this.due = due;
    }

    @Override
    public String createSelectDueQuery(String table, int limit, String condition, boolean orderByPriority) {
        return due.query(limit, condition);
    }
}
