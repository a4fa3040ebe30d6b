/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import com.github.kagkarlsson.scheduler.jdbc.JdbcTaskRepositoryContext;
import com.github.kagkarlsson.scheduler.jdbc.PostgreSqlJdbcCustomization;
import com.github.kagkarlsson.scheduler.task.Execution;
import java.time.Instant;
import java.util.List;

/** db-scheduler's dialect of PostgreSQL, with another look for due calls where there may be more than one look returns. */
final class PostgresDialect extends PostgreSqlJdbcCustomization {

    private final FullLook fullLook;

    PostgresDialect(FullLook fullLook) {
        super(false, false);
        this.fullLook = fullLook;
    }

    @Override
    public List<Execution> lockAndFetchSingleStatement(
            JdbcTaskRepositoryContext scheduler, Instant now, int limit, boolean orderByPriority) {
        return fullLook.of(super.lockAndFetchSingleStatement(scheduler, now, limit, orderByPriority), limit);
    }
}
