// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import com.github.kagkarlsson.scheduler.jdbc.JdbcCustomization;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.durable.internal.engine.CallLedger;
import dev.retryon.durable.internal.store.RetryStore;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.ResultSetExtractor;
import org.springframework.jdbc.core.SqlTypeValue;

/**
 * Reads db-scheduler's table for people. Lists read nothing of a call but short columns, whatever its row holds, and
 * each statement has a time limit.
 */
final class JdbcCallLedger implements CallLedger {

    /** The range of times that the tables of all databases can hold. */
    private static final Instant EARLIEST = Instant.EPOCH;

    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999Z");

    private static final String COLUMNS =
            "task_instance, name, error_type, lane, attempt, started_at, execution_time, picked, version";

    private final RetryStore store;

    private final String task;

    /** The rows of this application. Its name needs no quoting. */
    private final String from;

    /** Those that wait or run. */
    private final String waiting;

    private final JdbcCustomization dialect;

    JdbcCallLedger(RetryStore store, JdbcCustomization dialect) {
        this.store = store;
        this.dialect = dialect;
        this.task = store.application();
        this.from = " from " + RetryStore.CALLS + " where task_name = '" + task + "'";
        this.waiting = from + " and state = 'WAITING'";
    }

    @Override
    public Page list(Filter filter, @Nullable String cursor, int limit) {
        Query query = new Query(filter);
        if (cursor != null) {
            query.after(cursor);
        }
        List<Entry> found = query.entries("execution_time, task_instance", limit + 1L);
        if (found.size() <= limit) {
            return new Page(found, null);
        }
        Entry last = found.get(limit - 1);
        return new Page(List.copyOf(found.subList(0, limit)), last.due() + "_" + last.id());
    }

    @Override
    public List<Entry> listById(Filter filter, @Nullable String after, int limit) {
        Query query = new Query(filter);
        if (after != null) {
            query.add(" and task_instance > ?", after);
        }
        return query.entries("task_instance", limit);
    }

    private Entry entry(ResultSet row) throws SQLException {
        return new Entry(
                row.getString("task_instance"),
                row.getString("name"),
                row.getString("error_type"),
                row.getString("lane"),
                row.getInt("attempt"),
                time(row, "started_at"),
                dialect.getInstant(row, "execution_time"),
                row.getBoolean("picked"),
                row.getLong("version"));
    }

    private static @Nullable Instant time(ResultSet row, String column) throws SQLException {
        long millis = row.getLong(column);
        return row.wasNull() ? null : Instant.ofEpochMilli(millis);
    }

    @Override
    public long count(Filter filter) {
        Query query = new Query(filter);
        return Objects.requireNonNull(store.template()
                .queryForObject("select count(*)" + waiting + query.conditions, Long.class, query.values()));
    }

    @Override
    public List<Group> groups(Filter filter, int limit) {
        Query query = new Query(filter);
        return store.template()
                .query(
                        "select name, error_type, count(*) as calls, min(started_at) as oldest, min(execution_time) as next_due"
                                + waiting + query.conditions
                                + " group by name, error_type order by calls desc, name limit "
                                + limit,
                        (row, number) -> new Group(
                                row.getString("name"),
                                row.getString("error_type"),
                                row.getLong("calls"),
                                time(row, "oldest"),
                                dialect.getInstant(row, "next_due")),
                        query.values());
    }

    @Override
    public Optional<Entry> find(String id) {
        // The state is no condition, because PostgreSQL would read all waiting calls if its statistics are from a time
        // with few.
        ResultSetExtractor<Optional<Entry>> ifWaiting =
                row -> row.next() && row.getString("state").equals(RetryStore.WAITING)
                        ? Optional.of(entry(row))
                        : Optional.empty();
        return Objects.requireNonNull(
                store.template().query("select state, " + COLUMNS + from + " and task_instance = ?", ifWaiting, id));
    }

    @Override
    public byte @Nullable [] read(Entry entry, long longest) {
        // Not read at all if it is too long: another program may have written it.
        List<byte[]> found = store.template()
                .query(
                        "select task_data" + from
                                + " and task_instance = ? and version = ? and octet_length(task_data) <= ?",
                        (row, number) -> dialect.getTaskData(row, "task_data"),
                        entry.id(),
                        entry.revision(),
                        longest);
        return found.isEmpty() ? null : found.get(0);
    }

    @Override
    public boolean hasten(String id, Instant due) {
        Entry entry = find(id).orElse(null);
        if (entry == null || entry.running()) {
            return false;
        }
        return !entry.due().isAfter(due)
                || store.template()
                                .update(
                                        "update " + RetryStore.CALLS
                                                + " set execution_time = ? where task_name = ? and task_instance = ?"
                                                + " and version = ?",
                                        time(due),
                                        task,
                                        id,
                                        entry.revision())
                        > 0;
    }

    private SqlTypeValue time(Instant time) {
        return (statement, index, type, name) -> dialect.setInstant(statement, index, time);
    }

    @Override
    public boolean giveUp(Entry entry, DeadLetter letter) {
        return !entry.running() && store.letters().die(entry.id(), entry.revision(), letter);
    }

    /** The conditions of a statement, and the values of their question marks. */
    private final class Query {

        private final StringBuilder conditions = new StringBuilder();

        private final List<Object> values = new ArrayList<>();

        Query(Filter filter) {
            equal("name", RetryStore.storable(filter.name(), RetryStore.LONGEST_NAME));
            equal("error_type", filter.errorType() == null ? null : RetryStore.storable(filter.errorType()));
            equal("lane", filter.lane() == null ? null : RetryStore.storable(filter.lane()));
            if (filter.text() != null) {
                String part = RetryStore.containing(filter.text());
                add(
                        " and (lower(task_instance) like ? escape '!' or lower(name) like ? escape '!'"
                                + " or lower(error_type) like ? escape '!')",
                        part,
                        part,
                        part);
            }
            if (filter.startedFrom() != null) {
                add(" and started_at >= ?", millis(filter.startedFrom()));
            }
            if (filter.startedBefore() != null) {
                add(" and started_at < ?", millis(filter.startedBefore()));
            }
        }

        private void equal(String column, @Nullable String value) {
            if (value != null) {
                add(" and " + column + " = ?", value);
            }
        }

        private void add(String condition, Object... asked) {
            conditions.append(condition);
            values.addAll(List.of(asked));
        }

        /** A time that no row can have stands for one before or after all of them. */
        private long millis(Instant time) {
            try {
                return time.toEpochMilli();
            } catch (ArithmeticException ex) {
                return time.isBefore(Instant.EPOCH) ? Long.MIN_VALUE : Long.MAX_VALUE;
            }
        }

        /** Goes on after the last call of a page. */
        void after(String cursor) {
            int end = cursor.indexOf('_');
            Instant due;
            try {
                due = Instant.parse(cursor.substring(0, end));
                if (due.isBefore(EARLIEST) || due.isAfter(LATEST)) {
                    throw new IllegalArgumentException("the due time is out of range");
                }
            } catch (RuntimeException ex) {
                throw new IllegalArgumentException(
                        "cursor is '" + cursor + "', which is not a valid cursor; use the"
                                + " next value of a previous page",
                        ex);
            }
            add(
                    " and execution_time >= ? and (execution_time > ? or task_instance > ?)",
                    time(due),
                    time(due),
                    RetryStore.storable(cursor.substring(end + 1)));
        }

        List<Entry> entries(String order, long limit) {
            return store.template()
                    .query(
                            "select " + COLUMNS + waiting + conditions + " order by " + order + " limit " + limit,
                            (row, number) -> entry(row),
                            values());
        }

        Object[] values() {
            return values.toArray();
        }
    }
}
