// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import com.github.kagkarlsson.scheduler.jdbc.JdbcTaskRepositoryContext;
import com.github.kagkarlsson.scheduler.jdbc.PostgreSqlJdbcCustomization;
import com.github.kagkarlsson.scheduler.task.Execution;
import dev.retryon.durable.internal.store.RetryStore;
import java.time.Instant;
import java.util.List;

/** db-scheduler's dialect of PostgreSQL, with a look for due calls that holds those of one application. */
final class PostgresDialect extends PostgreSqlJdbcCustomization {

    private final DueCalls due;

    PostgresDialect(DueCalls due) {
        super(false, false);
        this.due = due;
    }

    @Override
    public List<Execution> lockAndFetchSingleStatement(
            JdbcTaskRepositoryContext scheduler, Instant now, int limit, boolean orderByPriority) {
        return due.look(
                limit,
                (condition, from, most) -> scheduler.jdbcRunner.query(
                        hold(condition, most),
                        statement -> {
                            statement.setString(1, scheduler.schedulerName.getName());
                            setInstant(statement, 2, now);
                            setInstant(statement, 3, from);
                            setInstant(statement, 4, now);
                        },
                        scheduler.resultSetMapper.get()));
    }

    private static String hold(String condition, int limit) {
        return "with held as (update " + RetryStore.CALLS
                + " set picked = true, picked_by = ?, last_heartbeat = ?, version = version + 1"
                // By place, because a join by key reads the whole table if statistics are from a time with few calls.
                + " where ctid = any (array(select ctid from " + RetryStore.CALLS
                + " where " + condition + " and state = 'WAITING' and picked = false and execution_time between ? and ?"
                + " order by execution_time for update skip locked limit " + limit + ")) returning *)"
                + " select * from held order by execution_time";
    }
}
