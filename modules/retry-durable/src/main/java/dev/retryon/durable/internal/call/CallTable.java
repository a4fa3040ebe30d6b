// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import com.github.kagkarlsson.scheduler.HeartbeatState;
import com.github.kagkarlsson.scheduler.jdbc.DefaultJdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.JdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.MariaDBJdbcCustomization;
import com.github.kagkarlsson.scheduler.task.Execution;
import com.github.kagkarlsson.scheduler.task.ExecutionContext;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallLease;
import dev.retryon.durable.internal.engine.LeaseLostException;
import dev.retryon.durable.internal.store.Database;
import dev.retryon.durable.internal.store.RetryStore;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.PreparedStatementSetter;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Writes to db-scheduler's table in the transaction of the thread, because the scheduler itself would commit. Only the holder
 * of a lease can write its call: each lease has another version.
 */
final class CallTable {

    /** The length of the column, in characters. */
    private static final int ERROR_LENGTH = 500;

    /** How often a call is added if the call that has its key ends at the same time. */
    private static final int KEY_TRIES = 5;

    private static final String UNLESS_KNOWN =
            " on conflict (task_name, unique_key) where unique_key is not null do nothing";

    private static final String MINE = " where task_name = ? and task_instance = ? and version = ?";

    private final RetryStore store;

    /** The name of the application, which has one task for all methods. */
    private final String task;

    private final JdbcCustomization dialect;

    /** Ignores a call with a known key; empty if the error of such a call does not end the transaction. */
    private final String unlessKnown;

    CallTable(RetryStore store, DueCalls due) {
        this.store = store;
        this.task = store.application();
        this.dialect = dialect(store, due);
        this.unlessKnown = switch (store.database()) {
            case POSTGRESQL, SQLITE -> UNLESS_KNOWN;
            case MARIADB, H2 -> "";
        };
    }

    /** How a database writes times and finds calls. */
    static JdbcCustomization dialect(RetryStore store, DueCalls due) {
        return switch (store.database()) {
            case POSTGRESQL -> new PostgresDialect(due);
            case SQLITE -> new SqliteDialect(due, store.isOwn());
            case MARIADB ->
                new MariaDBJdbcCustomization(true) { // in UTC, because its columns have no time zone
                    @Override
                    public String createSelectDueQuery(String table, int limit, String condition, boolean byPriority) {
                        return due.query(limit, condition);
                    }
                };
            case H2 ->
                new DefaultJdbcCustomization(false) {
                    @Override
                    public String createSelectDueQuery(String table, int limit, String condition, boolean byPriority) {
                        return due.query(limit, condition);
                    }
                };
        };
    }

    String task() {
        return task;
    }

    JdbcCustomization dialect() {
        return dialect;
    }

    /**
     * Adds a call; returns {@code false} if there is a call with its key. Before the transaction of the thread commits, that one is
     * looked at again: it may have read what this transaction changes. If it still waits, it starts after the commit; if it is
     * running, it runs once more; if it has ended, this call is added. This is done last, because it locks the call, whose worker
     * would wait for the end of the transaction.
     */
    boolean add(@Nullable String key, String id, byte[] call, CallEngine.Label label, Instant due) {
        if (key == null) {
            return insert(null, id, call, label, due);
        }
        if (!isKnown(key) && tryInsert(key, id, call, label, due)) {
            return true;
        }
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            return addOrKeep(key, id, call, label, due);
        }
        TransactionSynchronizationManager.registerSynchronization(
                new LastWrite(() -> addOrKeep(key, id, call, label, due)));
        return false;
    }

    /**
     * Whether there is a call with a key. On other databases than MariaDB, a statement finds out. There it would lock the keys beside
     * it until the end of the transaction.
     */
    private boolean isKnown(String key) {
        return store.database() == Database.MARIADB
                && !store.template()
                        .queryForList(
                                "select 1 from " + RetryStore.CALLS + " where task_name = ? and unique_key = ?",
                                Integer.class,
                                task,
                                key)
                        .isEmpty();
    }

    /** On databases where the error of a known key would end the transaction, the statement ignores the call instead. */
    private boolean tryInsert(String key, String id, byte[] call, CallEngine.Label label, Instant due) {
        try {
            return insert(key, id, call, label, due);
        } catch (DuplicateKeyException ex) {
            return false;
        }
    }

    /** Adds a call; returns {@code false} if there is one with its key, which is locked, and marked if it is running. */
    private boolean addOrKeep(String key, String id, byte[] call, CallEngine.Label label, Instant due) {
        for (int tries = 0; tries < KEY_TRIES; tries++) {
            int kept = store.template()
                    .update(
                            "update " + RetryStore.CALLS + " set again = picked where task_name = ? and unique_key = ?",
                            task,
                            key);
            if (kept > 0) {
                return false;
            }
            if (tryInsert(key, id, call, label, due)) {
                return true;
            }
        }
        throw new ConcurrencyFailureException(
                "other processes keep adding and ending calls with the key of call " + id);
    }

    /** The last write of a transaction. */
    private final class LastWrite implements TransactionSynchronization {

        private final Runnable write;

        private boolean done;

        LastWrite(Runnable write) {
            this.write = write;
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            write.run();
            done = true;
        }

        /** A call of a BEFORE_COMMIT listener comes too late for {@link #beforeCommit}. Also called before a rollback. */
        @Override
        public void beforeCompletion() {
            if (!done) {
                try {
                    beforeCommit(false);
                } catch (RuntimeException ex) {
                    // A transaction that failed may take no statements. If it commits, this is written afterwards.
                    return;
                }
            }
        }

        @Override
        public void afterCommit() {
            if (!done) {
                store.writeSingle(write);
            }
        }
    }

    private boolean insert(@Nullable String key, String id, byte[] call, CallEngine.Label label, Instant due) {
        return update(
                "insert into " + RetryStore.CALLS
                        + " (task_name, task_instance, task_data, execution_time, picked, version,"
                        + " name, error_type, attempt, started_at, lane, unique_key)"
                        + " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                        + (key == null ? "" : unlessKnown),
                statement -> {
                    statement.setString(1, task);
                    statement.setString(2, id);
                    dialect.setTaskData(statement, 3, call);
                    dialect.setInstant(statement, 4, due);
                    statement.setBoolean(5, false);
                    statement.setLong(6, 1);
                    statement.setString(7, RetryStore.storable(label.name(), RetryStore.LONGEST_NAME));
                    statement.setString(8, RetryStore.storable(label.errorType(), ERROR_LENGTH));
                    statement.setInt(9, label.attempt());
                    statement.setLong(10, label.startedAt().toEpochMilli());
                    statement.setString(11, label.lane());
                    statement.setString(12, key);
                });
    }

    private boolean update(String sql, PreparedStatementSetter values) {
        return store.template().update(sql, values) > 0;
    }

    /**
     * The lease of a call that db-scheduler has picked.
     *
     * @param missedLimit the number of missed heartbeats after which the scheduler treats a call as dead
     */
    CallLease lease(ExecutionContext context, int missedLimit) {
        return new Lease(context.getExecution(), context.getCurrentlyExecuting().getHeartbeatState(), missedLimit);
    }

    private final class Lease implements CallLease {

        private final Execution execution;

        private final HeartbeatState heartbeats;

        private final int missedLimit;

        Lease(Execution execution, HeartbeatState heartbeats, int missedLimit) {
            this.execution = execution;
            this.heartbeats = heartbeats;
            this.missedLimit = missedLimit;
        }

        @Override
        public String id() {
            return execution.getId();
        }

        @Override
        public byte[] call() {
            return (byte[]) execution.taskInstance.getData();
        }

        @Override
        public Instant due() {
            return execution.executionTime;
        }

        @Override
        public boolean isRevived() {
            return execution.consecutiveFailures > 0;
        }

        @Override
        public boolean isValid() {
            return heartbeats.getFailedHeartbeats() == 0
                    && heartbeats.getFractionDead() * missedLimit < DbSchedulerEngine.MISSED_HEARTBEATS;
        }

        @Override
        public void release(byte[] call, CallEngine.Label label, Instant due) {
            check(update(
                    "update " + RetryStore.CALLS
                            + " set " + RetryStore.NOT_LEASED + ", consecutive_failures = 0,"
                            + " task_data = ?, execution_time = ?, error_type = ?, attempt = ?, lane = ?" + MINE,
                    statement -> {
                        dialect.setTaskData(statement, 1, call);
                        dialect.setInstant(statement, 2, due);
                        statement.setString(3, RetryStore.storable(label.errorType(), ERROR_LENGTH));
                        statement.setInt(4, label.attempt());
                        statement.setString(5, label.lane());
                        statement.setString(6, task);
                        statement.setString(7, id());
                        statement.setLong(8, execution.version);
                    }));
        }

        /** Keeps the number of failures, so that a revived call stays revived. */
        @Override
        public void postpone(byte[] call, Instant due) {
            check(update(
                    "update " + RetryStore.CALLS + " set " + RetryStore.NOT_LEASED
                            + ", task_data = ?, execution_time = ?" + MINE,
                    statement -> {
                        dialect.setTaskData(statement, 1, call);
                        dialect.setInstant(statement, 2, due);
                        statement.setString(3, task);
                        statement.setString(4, id());
                        statement.setLong(5, execution.version);
                    }));
        }

        @Override
        public boolean die(DeadLetter letter) {
            return store.letters().die(id(), execution.version, letter) || !runsAgain();
        }

        @Override
        public void end(DeadLetter.Action action) {
            check(store.letters().end(id(), execution.version, action));
        }

        @Override
        public boolean remove() {
            String delete = "delete from " + RetryStore.CALLS + MINE + " and again = false";
            return store.template().update(delete, task, id(), execution.version) > 0 || !runsAgain();
        }

        /** A call that could not end must run again if it is still leased; otherwise, its lease is lost. */
        private boolean runsAgain() {
            String leased = "select again from " + RetryStore.CALLS + MINE;
            check(!store.template()
                    .queryForList(leased, Boolean.class, task, id(), execution.version)
                    .isEmpty());
            return true;
        }

        private void check(boolean isMine) {
            if (!isMine) {
                throw new LeaseLostException(id());
            }
        }

        @Override
        public String toString() {
            return id();
        }
    }

    /** Makes the call of a dead letter due, which counts its attempts anew. */
    boolean resend(DeadLetter.Action action, String id, byte[] call, CallEngine.Label label, Instant due) {
        return store.letters().move(id, DeadLetterStatus.DEAD, action)
                && update(
                        "update " + RetryStore.CALLS
                                + " set task_data = ?, execution_time = ?, consecutive_failures = 0, attempt = ?,"
                                + " started_at = ?, lane = ? where task_name = ? and task_instance = ?",
                        statement -> {
                            dialect.setTaskData(statement, 1, call);
                            dialect.setInstant(statement, 2, due);
                            statement.setInt(3, label.attempt());
                            statement.setLong(4, label.startedAt().toEpochMilli());
                            statement.setString(5, label.lane());
                            statement.setString(6, task);
                            statement.setString(7, id);
                        });
    }

    private record Row(String id, long version) {}

    /** Makes calls due again whose lease was not confirmed. Their lost attempts count as failed. */
    void revive(Instant confirmedBefore, Instant now) {
        List<Row> lapsed = store.template()
                .query(
                        "select task_instance, version from " + RetryStore.CALLS
                                + " where task_name = ? and picked = ? and last_heartbeat <= ?",
                        statement -> {
                            statement.setString(1, task);
                            statement.setBoolean(2, true);
                            dialect.setInstant(statement, 3, confirmedBefore);
                        },
                        (row, number) -> new Row(row.getString("task_instance"), row.getLong("version")));
        RuntimeException failed = null;
        for (Row row : lapsed) {
            try {
                revive(row, now);
            } catch (RuntimeException ex) {
                // A row that was edited must not block the others.
                failed = ex;
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    /** If another process does the same, only one of them succeeds. */
    private void revive(Row row, Instant now) {
        store.writeSingle(() -> update(
                "update " + RetryStore.CALLS
                        + " set " + RetryStore.NOT_LEASED + ", execution_time = ?,"
                        + " consecutive_failures = coalesce(consecutive_failures, 0) + 1" + MINE,
                statement -> {
                    dialect.setInstant(statement, 1, now);
                    statement.setString(2, task);
                    statement.setString(3, row.id());
                    statement.setLong(4, row.version());
                }));
    }

    Map<String, CallEngine.Backlog> backlog() {
        Map<String, CallEngine.Backlog> backlog = new TreeMap<>();
        store.template()
                .query(
                        "select lane, count(*) as waiting, min(execution_time) as next_due from " + RetryStore.CALLS
                                + " where task_name = ? and state = 'WAITING' and picked = false group by lane",
                        statement -> statement.setString(1, task),
                        row -> {
                            backlog.put(
                                    row.getString("lane"),
                                    new CallEngine.Backlog(
                                            row.getLong("waiting"), dialect.getInstant(row, "next_due")));
                        });
        return backlog;
    }

    /** Whether calls of other lanes wait. Each step reads one entry of the index, however many calls there are. */
    boolean hasOtherLanesThan(Set<String> known) {
        String lane = "";
        while (lane != null) {
            lane = store.template()
                    .queryForObject(
                            "select min(lane) from " + RetryStore.CALLS
                                    + " where task_name = ? and state = 'WAITING' and picked = false and lane > ?",
                            String.class,
                            task,
                            lane);
            if (lane != null && !known.contains(lane)) {
                return true;
            }
        }
        return false;
    }
}
