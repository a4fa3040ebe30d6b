// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.JdbcTemplate;

final class StoreTable {

    static final StoreTable CALLS = new StoreTable(
            RetryStore.CALLS,
            "task_name",
            "task_name, task_instance, task_data, execution_time, picked, picked_by, last_success, last_failure,"
                    + " consecutive_failures, last_heartbeat, version, started_at, method_hash,"
                    + " unfit_since, unique_key, again, order_key, order_number, task, task_undo, "
                    + CallRow.COLUMNS.replace("task_instance, ", ""),
            Set.of("task_name", "task_instance", "last_success", "last_failure", "order_number"),
            Map.of("task_instance", "?", "execution_time", "", "picked", "false", "version", "1"));

    static final StoreTable CHANGES = new StoreTable(
            RetryStore.CHANGES,
            "application",
            "application, kind, name, settings, changed_at, changed_by, ends_at, version",
            Set.of("application", "kind", "name"),
            Map.of(
                    "name",
                    "?",
                    "kind",
                    "'trial'",
                    "settings",
                    "'{}'",
                    "changed_at",
                    "0",
                    "ends_at",
                    "0",
                    "version",
                    "1"));

    static final StoreTable NODES = new StoreTable(
            RetryStore.NODES,
            "application",
            "application, id, name, version, methods, lanes, started_at, seen_at, expires_at",
            Set.of("application", "id", "name", "version", "started_at"),
            Map.of(
                    "id",
                    "?",
                    "name",
                    "''",
                    "methods",
                    "''",
                    "lanes",
                    "''",
                    "started_at",
                    "0",
                    "seen_at",
                    "0",
                    "expires_at",
                    "0"));

    static final StoreTable ORDERS = new StoreTable(
            RetryStore.ORDERS,
            "task_name",
            "task_name, order_key, last_number, last_id, previous_id, used_at",
            Set.of("task_name", "order_key"),
            Map.of("order_key", "?", "last_number", "0", "last_id", "''", "used_at", "0"));

    static final StoreTable TASKS = new StoreTable(
            RetryStore.TASKS,
            "application",
            "application, id, task, progress, running, node, started_at, version",
            Set.of("application", "id", "task", "started_at"),
            Map.of("id", "?", "task", "''", "progress", "''", "node", "''", "started_at", "0", "version", "1"));

    static final List<StoreTable> ALL = List.of(CALLS, ORDERS, CHANGES, NODES, TASKS);

    /** The latest time that the tables can store, so that no process treats the row as a due call. */
    private static final String LATEST = "timestamp '9999-12-31 00:00:00'";

    private static final String LATEST_MILLIS = "253402214400000";

    private final String table;

    private final String owner;

    private final List<String> columns;

    private final Set<String> fixed;

    private final Map<String, String> row;

    private StoreTable(String table, String owner, String columns, Set<String> fixed, Map<String, String> row) {
        this.owner = owner;
        this.table = table;
        this.columns = Arrays.asList(columns.split(", "));
        this.fixed = fixed;
        this.row = row;
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
        write(jdbc, "INSERT", insert(database, application), id);
        write(jdbc, "UPDATE", update(application), id);
        write(jdbc, "DELETE", "delete from " + table + where(application), id);
    }

    private String insert(Database database, String application) {
        String latest = database == Database.SQLITE ? LATEST_MILLIS : LATEST;
        List<String> names = columns.stream().filter(row::containsKey).toList();
        return "insert into " + table + " (" + owner + ", " + String.join(", ", names) + ") values ('" + application
                + "', "
                + names.stream()
                        .map(name -> name.equals("execution_time") ? latest : row.get(name))
                        .collect(Collectors.joining(", "))
                + ")";
    }

    /** Returns a statement with all columns that statements change, because rights can be granted for columns. */
    private String update(String application) {
        return "update " + table + " set "
                + columns.stream()
                        .filter(Predicate.not(fixed::contains))
                        .map(name -> name + " = " + name)
                        .collect(Collectors.joining(", "))
                + where(application);
    }

    private String where(String application) {
        String key = row.entrySet().stream()
                .filter(entry -> entry.getValue().equals("?"))
                .findFirst()
                .orElseThrow()
                .getKey();
        return " where " + owner + " = '" + application + "' and " + key + " = ?";
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
