// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import dev.retryon.durable.internal.engine.BulkTask;
import dev.retryon.durable.internal.engine.BulkTask.Progress;
import dev.retryon.durable.internal.engine.BulkTaskStore;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Table {@value RetryStore#TASKS}. A unique column allows one running task, and each write has the version as its condition. */
final class JdbcBulkTasks implements BulkTaskStore {

    private static final Duration KEPT = Duration.ofDays(1);

    /**
     * A filter can contain characters that a database changes or rejects. A task of a newer version with further properties
     * cannot be read, because its filter would select other calls here.
     */
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private static final String MINE = " where application = :application";

    private final RetryStore store;

    private final String now;

    private final String select;

    JdbcBulkTasks(RetryStore store) {
        this.store = store;
        this.now = store.database().now();
        this.select = "select id, task, progress, node, version, " + now
                + " as store_time, case when node in (select id from "
                + RetryStore.NODES + MINE + " and expires_at >= " + now + ") then 0 else 1 end as abandoned from "
                + RetryStore.TASKS + MINE;
    }

    @Override
    public boolean add(BulkTask task, String node) {
        try {
            return store.write(() -> {
                Row running = first(sql(select + " and running = true")).orElse(null);
                if (running != null && running.entry() == null) {
                    throw new IllegalStateException("task " + running.id() + " is running, but this version of RetryOn"
                            + " cannot read it; wait until it ends in a process of the version that started it,"
                            + " or delete its row from table " + RetryStore.TASKS);
                }
                return running == null && insert(task, node);
            });
        } catch (DuplicateKeyException ex) {
            return false; // another process was faster
        }
    }

    /** Inserts a task. The start time comes from the database's clock, because the clocks of processes can differ. */
    private boolean insert(BulkTask task, String node) {
        sql("delete from " + RetryStore.TASKS + MINE + " and running is null and started_at < " + now + " - :kept")
                .param("kept", KEPT.toMillis())
                .update();
        return sql("insert into " + RetryStore.TASKS
                                + " (application, id, task, progress, running, node, started_at, version)"
                                + " values (:application, :id, :task, :progress, true, :node, " + now + ", 1)")
                        .param("id", task.id())
                        .param("task", JSON.writeValueAsString(task))
                        .param("progress", JSON.writeValueAsString(Progress.NONE))
                        .param("node", node)
                        .update()
                == 1;
    }

    @Override
    public Optional<Entry> latest() {
        String latest =
                select + " order by case when running is null then 1 else 0 end, started_at desc, id limit 1 offset ";
        Optional<Row> row = first(sql(latest + 0));
        for (int unreadable = 1; row.filter(found -> found.entry() == null).isPresent(); unreadable++) {
            row = first(sql(latest + unreadable));
        }
        return row.map(Row::entry);
    }

    @Override
    public Optional<Entry> find(String id) {
        return first(sql(select + " and id = :id").param("id", id)).map(Row::entry);
    }

    /** The row of a task, without an entry if this version cannot read the task. */
    private record Row(String id, @Nullable Entry entry) {}

    private static Optional<Row> first(JdbcClient.StatementSpec sql) {
        return sql.query((row, number) -> new Row(row.getString("id"), entry(row)))
                .optional();
    }

    private static @Nullable Entry entry(ResultSet row) throws SQLException {
        BulkTask task = read(row.getString("task"), BulkTask.class);
        Progress progress = read(row.getString("progress"), Progress.class);
        if (task == null || progress == null) {
            return null;
        }
        return new Entry(
                task,
                progress,
                row.getString("node"),
                row.getInt("abandoned") == 1,
                row.getLong("version"),
                Instant.ofEpochMilli(row.getLong("store_time")));
    }

    private static <T> @Nullable T read(String json, Class<T> type) {
        try {
            return JSON.readValue(json, type);
        } catch (JacksonException ex) {
            return null;
        }
    }

    @Override
    public boolean update(Entry expected, Progress next, String node) {
        return store.write(
                () -> sql("update " + RetryStore.TASKS + " set progress = :progress, node = :node, running = "
                                        + (next.runs() ? "true" : "null") + ", version = version + 1" + MINE
                                        + " and id = :id and version = :version and running = true")
                                .param("progress", JSON.writeValueAsString(next))
                                .param("node", node)
                                .param("id", expected.task().id())
                                .param("version", expected.version())
                                .update()
                        == 1);
    }

    private JdbcClient.StatementSpec sql(String sql) {
        return store.jdbc().sql(sql).param("application", store.application());
    }
}
