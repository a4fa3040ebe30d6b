/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.call;

import com.github.kagkarlsson.scheduler.jdbc.DefaultJdbcCustomization;

/** Standard SQL, with a look for due calls of one application. */
final class H2Dialect extends DefaultJdbcCustomization {

    private final DueCalls due;

    H2Dialect(DueCalls due) {
        super(false);
        this.due = due;
    }

    @Override
    public String createSelectDueQuery(String table, int limit, String condition, boolean orderByPriority) {
        return due.query(limit, condition);
    }
}
