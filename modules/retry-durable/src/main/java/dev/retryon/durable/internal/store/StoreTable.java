// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.JdbcTemplate;

/** A table with the columns that statements read and write. */
final class StoreTable {

    static final StoreTable CALLS = new StoreTable(
            RetryStore.CALLS,
            "task_name, task_instance, task_data, execution_time, picked, picked_by, last_success, last_failure,"
                    + " consecutive_failures, last_heartbeat, version, started_at, method_hash,"
                    + " unfit_since, unique_key, again, order_key, order_number, task, task_undo, "
                    + CallRow.COLUMNS.replace("task_instance, ", ""),
            "task_name, task_instance, last_success, last_failure, order_number",
            "task_name, task_instance, execution_time, picked, version",
            ":latest, false, 1");

    static final StoreTable CHANGES = new StoreTable(
            RetryStore.CHANGES,
            "application, kind, name, settings, changed_at, changed_by, ends_at, version",
            "application, kind, name",
            "application, name, kind, settings, changed_at, ends_at, version",
            "'trial', '{}', 0, 0, 1");

    static final StoreTable NODES = new StoreTable(
            RetryStore.NODES,
            "application, id, name, version, methods, lanes, started_at, seen_at, expires_at",
            "application, id, name, version, started_at",
            "application, id, name, methods, lanes, started_at, seen_at, expires_at",
            "'', '', '', 0, 0, 0");

    static final StoreTable ORDERS = new StoreTable(
            RetryStore.ORDERS,
            "task_name, order_key, last_number, last_id, previous_id, used_at",
            "task_name, order_key",
            "task_name, order_key, last_number, last_id, used_at",
            "0, '', 0");

    static final StoreTable TASKS = new StoreTable(
            RetryStore.TASKS,
            "application, id, task, progress, running, node, started_at, version",
            "application, id, task, started_at",
            "application, id, task, progress, node, started_at, version",
            "'', '', '', 0, 1");

    static final List<StoreTable> ALL = List.of(CALLS, ORDERS, CHANGES, NODES, TASKS);

    /** The latest time that the tables can store, so that no process treats the row as a due call. */
    private static final String LATEST = "timestamp '9999-12-31 00:00:00'";

    private static final String LATEST_MILLIS = "253402214400000";

    private final String table;

    private final List<String> columns;

    private final List<String> fixed;

    private final List<String> inserted;

    private final String values;

    /**
     * Describes a table.
     *
     * @param fixed the columns that no statement changes
     * @param inserted the columns of a row that is only tried: that of the application, that of an id, and the required ones
     * @param values the values of the row after the first two; {@code :latest} is {@link #LATEST}
     */
    private StoreTable(String table, String columns, String fixed, String inserted, String values) {
        this.table = table;
        this.columns = List.of(columns.split(", "));
        this.fixed = List.of(fixed.split(", "));
        this.inserted = List.of(inserted.split(", "));
        this.values = values;
    }

    static StoreTable of(String table) {
        return ALL.stream()
                .filter(each -> each.table.equals(table))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(table));
    }

    String table() {
        return table;
    }

    List<String> columns() {
        return columns;
    }

    void read(JdbcTemplate jdbc) {
        read(jdbc, String.join(", ", columns));
    }

    /** Selects the given columns but no row. Throws the database's exception if a column is missing. */
    void read(JdbcTemplate jdbc, String some) {
        jdbc.query("select " + some + " from " + table + " where 1 = 0", row -> {});
    }

    /** Returns a MySQL table's text columns that do not support every character. */
    List<String> narrowColumns(JdbcTemplate jdbc) {
        return jdbc.queryForList(
                "select column_name from information_schema.columns where table_schema = database()"
                        + " and table_name = ? and character_set_name <> 'utf8mb4' order by ordinal_position",
                String.class,
                table);
    }

    /**
     * Adds, changes and deletes a row. The transaction must be rolled back.
     *
     * @throws NotWrittenException if a write has no effect although the database reports no error
     * @throws org.springframework.dao.DataAccessException if the database rejects a write
     */
    void tryWrites(JdbcTemplate jdbc, Database database, String application) {
        String id = UUID.randomUUID().toString(); // no column for ids is shorter
        String latest = database == Database.SQLITE ? LATEST_MILLIS : LATEST;
        String insert = "insert into " + table + " (" + String.join(", ", inserted) + ") values ('" + application
                + "', ?, " + values.replace(":latest", latest) + ")";
        // All columns that statements change, because rights can be granted for columns.
        String changes = columns.stream()
                .filter(Predicate.not(fixed::contains))
                .map(name -> name + " = " + name)
                .collect(Collectors.joining(", "));
        String one = " where " + inserted.get(0) + " = '" + application + "' and " + inserted.get(1) + " = ?";
        write(jdbc, "INSERT", insert, id);
        write(jdbc, "UPDATE", "update " + table + " set " + changes + one, id);
        write(jdbc, "DELETE", "delete from " + table + one, id);
    }

    private void write(JdbcTemplate jdbc, String right, String sql, String id) {
        if (jdbc.update(sql, id) != 1) {
            throw new NotWrittenException(right + " on table '" + table
                    + "' has no effect on a row that was just inserted; a policy, a trigger, or"
                    + " useAffectedRows=true in the JDBC URL can be the cause");
        }
    }

    /** A write had no effect, for example because of row-level security. */
    static final class NotWrittenException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        NotWrittenException(String message) {
            super(message);
        }
    }
}
