// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import com.github.kagkarlsson.scheduler.HeartbeatState;
import com.github.kagkarlsson.scheduler.jdbc.JdbcCustomization;
import com.github.kagkarlsson.scheduler.task.Execution;
import com.github.kagkarlsson.scheduler.task.ExecutionContext;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallLease;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.engine.LeaseLostException;
import dev.retryon.durable.internal.store.CallDialect;
import dev.retryon.durable.internal.store.CallLines;
import dev.retryon.durable.internal.store.Database;
import dev.retryon.durable.internal.store.LastWrite;
import dev.retryon.durable.internal.store.RetryStore;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.PreparedStatementSetter;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Reads and writes db-scheduler's table in the transaction of the thread, because the scheduler itself would commit. Only
 * the owner of a lease can write its call, because each lease has a different version.
 */
final class CallTable implements DueCalls.Table {

    /** The length of the column in characters. */
    private static final int ERROR_LENGTH = 500;

    /** The maximum number of attempts to add a call if the call with its key ends at the same time. */
    private static final int KEY_TRIES = 5;

    private static final String UNLESS_KNOWN =
            " on conflict (task_name, unique_key) where unique_key is not null do nothing";

    /**
     * On MariaDB and MySQL, the error of a known key would leave a shared lock. Two transactions that both have this lock
     * could not mark the call.
     */
    private static final String OR_MARK = " on duplicate key update again = picked";

    /**
     * The writes of a transaction are sorted. This prefix puts the writes for order keys last, because the writes for
     * unique keys would otherwise wait for their locks.
     */
    private static final String LAST = "order ";

    private static final String MINE = " where task_name = ? and task_instance = ? and version = ?";

    /** The order of the index. H2 uses the index only if all of its columns are listed. */
    private static final String IN_ORDER =
            " order by task_name, state, picked, lane, method_hash, execution_time limit ";

    private static final String LEASE = "update " + RetryStore.CALLS
            + " set picked = true, picked_by = ?, last_heartbeat = ?, task_undo = null, version = version + 1";

    private static final String CONTENT = "task_instance, version, lane, method_hash, execution_time, task_data,"
            + " consecutive_failures, unfit_since, order_key";

    private final RetryStore store;

    /** The application's name. The application has one task for all methods. */
    private final String task;

    private final JdbcCustomization dialect;

    /**
     * The clause that ignores or marks a call with a known key; empty if the error of a known key does not end the
     * transaction.
     */
    private final String unlessKnown;

    /** The condition for waiting calls. The application's name needs no quoting. */
    private final String waiting;

    CallTable(RetryStore store) {
        this.store = store;
        this.task = store.application();
        this.waiting = " from " + RetryStore.CALLS + " where task_name = '" + task
                + "' and state = 'WAITING' and picked = false";
        this.dialect = new CallDialect(store.database(), (limit, scheduler) -> List.of());
        this.unlessKnown = switch (store.database()) {
            case POSTGRESQL, SQLITE -> UNLESS_KNOWN;
            case MARIADB, MYSQL -> OR_MARK;
            case H2 -> "";
        };
    }

    RetryStore store() {
        return store;
    }

    /**
     * Adds a call. Returns {@code false} if a call with the same key is stored. In a transaction, the key is checked again
     * before the commit, because the other call might have read data that this transaction changes. If the other call still
     * waits, it starts after the commit. If it is running, it runs once more. If it has ended, this call is added. This
     * check comes last, because it locks the key, and other callers would wait for the end of the transaction. SQLite has
     * only one writer, for which others wait anyway.
     */
    boolean add(@Nullable String key, String id, byte[] call, CallEngine.Label label, Instant due) {
        if (key == null) {
            return insert(null, null, id, call, label, due);
        }
        if (!isInTransaction()) {
            return addOrMark(key, id, call, label, due);
        }
        boolean isNew = !isKnown(key) && !LastWrite.isRegistered(key);
        LastWrite.register(store, key, () -> addOrMark(key, id, call, label, due));
        return isNew;
    }

    /**
     * Returns whether the thread is in a transaction and the database is not SQLite. Synchronizations without a transaction
     * end after the commit of a connection that does not commit by itself.
     */
    private boolean isInTransaction() {
        return store.database() != Database.SQLITE
                && TransactionSynchronizationManager.isSynchronizationActive()
                && TransactionSynchronizationManager.isActualTransactionActive();
    }

    /**
     * Adds a call that runs after the earlier calls with its key. In a caller's transaction, the previous call is checked
     * only before the commit. The check locks that call's row, and its worker would wait for the end of the transaction.
     */
    void addInOrder(String key, String id, byte[] call, CallEngine.Label label, Instant due) {
        CallLines.Place place = store.lines().place(key, id);
        insert(null, place, id, call, label, due);
        if (place.before() == null) {
            return;
        }
        if (store.isWriting() || !isInTransaction()) {
            store.lines().enter(place, id);
            return;
        }
        boolean isBehindOwn = LastWrite.isRegistered(LAST + place.before());
        LastWrite.register(store, LAST + id, () -> {
            if (!isBehindOwn) {
                store.lines().enter(place, id);
            }
        });
    }

    /** Returns whether a call with the key is stored. A call that is being stored, or has just ended, might be missed. */
    private boolean isKnown(String key) {
        return !store.template()
                .queryForList(
                        "select 1 from " + RetryStore.CALLS + " where task_name = ? and unique_key = ?",
                        Integer.class,
                        task,
                        key)
                .isEmpty();
    }

    /** Adds a call, unless a call with the same key is stored. That call is locked, and marked if it is running. */
    private boolean addOrMark(String key, String id, byte[] call, CallEngine.Label label, Instant due) {
        if (unlessKnown.equals(OR_MARK)) {
            boolean isNew = !isKnown(key);
            insert(key, null, id, call, label, due);
            return isNew;
        }
        for (int tries = 0; tries < KEY_TRIES; tries++) {
            if (tryInsert(key, id, call, label, due)) {
                return true;
            }
            int marked = store.template()
                    .update(
                            "update " + RetryStore.CALLS + " set again = picked where task_name = ? and unique_key = ?",
                            task,
                            key);
            if (marked > 0) {
                return false;
            }
        }
        throw new ConcurrencyFailureException(
                "other processes keep adding and finishing calls with the key of call " + id);
    }

    /** Tries to insert a call. Returns {@code false} if the key is known, without an error that would end the transaction. */
    private boolean tryInsert(String key, String id, byte[] call, CallEngine.Label label, Instant due) {
        try {
            return insert(key, null, id, call, label, due);
        } catch (DuplicateKeyException ex) {
            return false;
        }
    }

    private boolean insert(
            @Nullable String key,
            CallLines.@Nullable Place place,
            String id,
            byte[] call,
            CallEngine.Label label,
            Instant due) {
        return update(
                (key != null && unlessKnown.equals(OR_MARK) ? store.asItIs() : "") + "insert into "
                        + RetryStore.CALLS
                        + " (task_name, task_instance, task_data, execution_time, picked, version,"
                        + " name, error_type, attempt, started_at, lane, method_hash, unique_key"
                        + (place == null ? "" : ", state, order_key, order_number")
                        + ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?" + (place == null ? ")" : ", ?, ?, ?)")
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
                    statement.setString(12, label.method());
                    statement.setString(13, key);
                    if (place != null) {
                        statement.setString(14, place.state());
                        statement.setString(15, place.key());
                        statement.setLong(16, place.number());
                    }
                });
    }

    private boolean update(String sql, PreparedStatementSetter values) {
        return store.template().update(sql, values) > 0;
    }

    @Override
    public Map<DueCalls.Kind, Instant> kinds(Predicate<String> some) {
        Map<DueCalls.Kind, Instant> kinds = new HashMap<>();
        for (String lane = nextLane(""); lane != null; lane = nextLane(lane)) {
            if (some.test(lane)) {
                addKinds(lane, kinds);
            }
        }
        return kinds;
    }

    /** Returns the next lane with waiting calls. Each step reads one entry of the index, however many calls are stored. */
    private @Nullable String nextLane(String lane) {
        List<String> next = store.template()
                .queryForList("select lane" + waiting + " and lane > ?" + IN_ORDER + 1, String.class, after(lane));
        return next.isEmpty() ? null : next.get(0);
    }

    /**
     * Returns the text after which the next entry is searched. H2 would read all entries with the given text to find the
     * next one, so its search starts at the text that follows.
     */
    private String after(String text) {
        return store.database() == Database.H2 && !text.isEmpty() ? text + '\u0000' : text;
    }

    private void addKinds(String lane, Map<DueCalls.Kind, Instant> kinds) {
        List<DueCalls.Kind> found = addKind(lane, ">=", "", kinds);
        while (!found.isEmpty()) {
            found = addKind(lane, ">", after(found.get(0).method()), kinds);
        }
    }

    private List<DueCalls.Kind> addKind(String lane, String next, String method, Map<DueCalls.Kind, Instant> kinds) {
        return store.template()
                .query(
                        "select lane, method_hash, execution_time" + waiting + " and lane = ? and method_hash " + next
                                + " ?" + IN_ORDER + 1,
                        (row, number) -> {
                            DueCalls.Kind kind = kind(row);
                            kinds.put(kind, dialect.getInstant(row, "execution_time"));
                            return kind;
                        },
                        lane,
                        method);
    }

    @Override
    public List<DueCalls.Candidate> find(List<DueCalls.Range> ranges, int limit) {
        String place = store.database() == Database.POSTGRESQL ? "cast(ctid as text)" : "''";
        String some = "select * from (select task_instance, version, lane, method_hash, execution_time, " + place
                + " as place" + waiting + " and lane = ? and method_hash = ? and execution_time between ? and ?"
                + IN_ORDER + limit + ") due";
        return store.template()
                .query(
                        ranges.stream().map(range -> some).collect(Collectors.joining(" union all "))
                                + " order by execution_time limit " + limit,
                        statement -> {
                            int index = 1;
                            for (DueCalls.Range range : ranges) {
                                index = set(statement, index, range);
                            }
                        },
                        (row, number) -> new DueCalls.Candidate(
                                row.getString("task_instance"),
                                row.getLong("version"),
                                kind(row),
                                dialect.getInstant(row, "execution_time"),
                                row.getString("place")));
    }

    private int set(PreparedStatement statement, int index, DueCalls.Range range) throws SQLException {
        statement.setString(index, range.kind().lane());
        statement.setString(index + 1, range.kind().method());
        dialect.setInstant(statement, index + 2, range.from());
        dialect.setInstant(statement, index + 3, range.to());
        return index + 4;
    }

    private static DueCalls.Kind kind(ResultSet row) throws SQLException {
        return new DueCalls.Kind(row.getString("lane"), row.getString("method_hash"));
    }

    @Override
    public boolean leasesDue() {
        return store.database() == Database.POSTGRESQL;
    }

    @Override
    public List<Execution> leaseDue(DueCalls.Range range, int limit, String scheduler) {
        return leaseIn(
                " and lane = ? and method_hash = ? and execution_time between ? and ?" + IN_ORDER + limit,
                scheduler,
                statement -> set(statement, 3, range));
    }

    /**
     * Leases PostgreSQL's rows by physical location. A join by key reads the whole table if the statistics are from a
     * time with few calls.
     */
    private List<Execution> leaseIn(String condition, String scheduler, PreparedStatementSetter values) {
        Instant now = Instant.now();
        List<Execution> leased = new ArrayList<>();
        store.writeSingle(() -> {
            leased.clear(); // the write might be repeated
            leased.addAll(store.template()
                    .query(
                            "with leased as (" + LEASE + " where ctid = any (array(select ctid" + waiting + condition
                                    + " for update skip locked)) returning " + CONTENT
                                    + ") select * from leased order by execution_time",
                            statement -> {
                                setLease(statement, scheduler, now);
                                values.setValues(statement);
                            },
                            (row, number) -> execution(row, row.getLong("version"), scheduler, now)));
        });
        return leased;
    }

    private void setLease(PreparedStatement statement, String scheduler, Instant now) throws SQLException {
        statement.setString(1, scheduler);
        dialect.setInstant(statement, 2, now);
    }

    @Override
    public void lease(List<DueCalls.Candidate> found, String scheduler, Consumer<Execution> leased) {
        switch (store.database()) {
            case POSTGRESQL ->
                leaseIn(
                                " and ctid = any (array[" + marks("cast(? as tid)", found.size())
                                        + "]) and task_instance in (" + marks("?", found.size()) + ")",
                                scheduler,
                                statement -> {
                                    int next = set(statement, 3, found, DueCalls.Candidate::place);
                                    set(statement, next, found, DueCalls.Candidate::id);
                                })
                        .forEach(leased);
            // For several ids, H2 would read all calls.
            case H2 ->
                found.forEach(call -> leaseFound(List.of(call), scheduler).forEach(leased));
            case MARIADB, MYSQL, SQLITE -> leaseFound(found, scheduler).forEach(leased);
        }
    }

    /** Reads calls before leasing them, so that no call is leased without being read. */
    private List<Execution> leaseFound(List<DueCalls.Candidate> found, String scheduler) {
        Instant now = Instant.now();
        Map<String, Execution> read = new HashMap<>();
        store.template()
                .query(
                        "select " + CONTENT + " from " + RetryStore.CALLS + byIds(found.size())
                                // Leasing would wait for a transaction that has locked a call.
                                + (store.database().isInnoDb() ? " for update skip locked" : ""),
                        statement -> set(statement, setTask(statement, 1), found, DueCalls.Candidate::id),
                        row -> {
                            Execution call = execution(row, row.getLong("version") + 1, scheduler, now);
                            read.put(call.getId(), call);
                        });
        List<Execution> wanted = found.stream()
                .flatMap(call ->
                        Stream.ofNullable(read.get(call.id())).filter(same -> same.version == call.version() + 1))
                .toList();
        return wanted.isEmpty() ? wanted : lease(wanted, scheduler, now);
    }

    private List<Execution> lease(List<Execution> wanted, String scheduler, Instant now) {
        int[] count = new int[1];
        store.writeSingle(() -> count[0] = store.template()
                .update(LEASE + byIds(wanted.size()) + " and version = " + versions(wanted, -1), statement -> {
                    setLease(statement, scheduler, now);
                    setVersions(statement, 3, wanted);
                }));
        if (count[0] == wanted.size()) {
            return wanted;
        }
        Set<String> mine = new HashSet<>(store.template()
                .query(
                        "select task_instance from " + RetryStore.CALLS + byIds(wanted.size()) + " and version = "
                                + versions(wanted, 0) + " and picked_by = ?",
                        statement -> statement.setString(setVersions(statement, 1, wanted), scheduler),
                        (row, number) -> row.getString("task_instance")));
        return wanted.stream().filter(call -> mine.contains(call.getId())).toList();
    }

    private static String byIds(int number) {
        return " where task_name = ? and task_instance in (" + marks("?", number) + ")";
    }

    private static String marks(String mark, int number) {
        return String.join(", ", Collections.nCopies(number, mark));
    }

    private static String versions(List<Execution> calls, int more) {
        return calls.stream()
                .map(call -> " when ? then " + (call.version + more))
                .collect(Collectors.joining("", "case task_instance", " end"));
    }

    private int setVersions(PreparedStatement statement, int index, List<Execution> calls) throws SQLException {
        int next = set(statement, setTask(statement, index), calls, Execution::getId);
        return set(statement, next, calls, Execution::getId);
    }

    private int setTask(PreparedStatement statement, int index) throws SQLException {
        statement.setString(index, task);
        return index + 1;
    }

    private static <T> int set(PreparedStatement statement, int index, List<T> values, Function<T, String> text)
            throws SQLException {
        int next = index;
        for (T value : values) {
            statement.setString(next++, text.apply(value));
        }
        return next;
    }

    private Execution execution(ResultSet row, long version, String scheduler, Instant now) throws SQLException {
        long millis = row.getLong("unfit_since");
        Instant unfitSince = row.wasNull() ? null : Instant.ofEpochMilli(millis);
        Content content =
                new Content(dialect.getTaskData(row, "task_data"), kind(row), unfitSince, row.getString("order_key"));
        return new Execution(
                dialect.getInstant(row, "execution_time"),
                new TaskInstance<>(task, row.getString("task_instance"), content),
                true,
                scheduler,
                null,
                null,
                row.getInt("consecutive_failures"),
                now,
                version);
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Content(
            byte @Nullable [] call,
            DueCalls.Kind kind,
            @Nullable Instant unfitSince,
            @Nullable String orderKey) {}

    /** Returns the lease of a picked call, which the scheduler treats as dead after the given number of missed heartbeats. */
    CallLease lease(ExecutionContext context, int missedLimit) {
        Execution execution = context.getExecution();
        Content content = (Content) execution.taskInstance.getData();
        HeartbeatState heartbeats = context.getCurrentlyExecuting().getHeartbeatState();
        return new Lease(
                this,
                execution.getId(),
                execution.version,
                content.call() == null ? new byte[0] : content.call(),
                content.kind().lane(),
                content.kind().method(),
                content.unfitSince(),
                execution.executionTime,
                execution.consecutiveFailures > 0,
                content.orderKey(),
                () -> heartbeats.getFailedHeartbeats() == 0
                        && heartbeats.getFractionDead() * missedLimit < DbSchedulerEngine.MISSED_HEARTBEATS);
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Lease(
            CallTable table,
            String id,
            long version,
            byte[] call,
            String lane,
            String method,
            @Nullable Instant unfitSince,
            Instant due,
            boolean isRevived,
            @Nullable String orderKey,
            BooleanSupplier confirmed)
            implements CallLease {

        @Override
        public boolean isOrdered() {
            return orderKey != null;
        }

        @Override
        public boolean isValid() {
            return confirmed.getAsBoolean();
        }

        @Override
        public void release(byte[] call, CallEngine.Label label, Instant due) {
            check(table.update(
                    "update " + RetryStore.CALLS
                            + " set " + RetryStore.NOT_LEASED + ", consecutive_failures = 0, unfit_since = null,"
                            + " task_data = ?, execution_time = ?, error_type = ?, attempt = ?, lane = ?,"
                            + " method_hash = ?" + MINE,
                    statement -> {
                        table.dialect.setTaskData(statement, 1, call);
                        table.dialect.setInstant(statement, 2, due);
                        statement.setString(3, RetryStore.storable(label.errorType(), ERROR_LENGTH));
                        statement.setInt(4, label.attempt());
                        statement.setString(5, label.lane());
                        statement.setString(6, label.method());
                        setMine(statement, 7);
                    }));
        }

        private void setMine(PreparedStatement statement, int index) throws SQLException {
            statement.setString(index, table.task);
            statement.setString(index + 1, id);
            statement.setLong(index + 2, version);
        }

        /** Keeps the number of failures, so that a revived call stays revived. */
        @Override
        public void postpone(String method, @Nullable Instant unfitSince, Instant due) {
            check(table.update(
                    "update " + RetryStore.CALLS + " set " + RetryStore.NOT_LEASED
                            + ", method_hash = ?, unfit_since = ?, execution_time = ?" + MINE,
                    statement -> {
                        statement.setString(1, method);
                        statement.setObject(2, unfitSince == null ? null : unfitSince.toEpochMilli(), Types.BIGINT);
                        table.dialect.setInstant(statement, 3, due);
                        setMine(statement, 4);
                    }));
        }

        @Override
        public boolean die(DeadLetter letter) {
            return table.store.calls().die(version, letter) || !runsAgain();
        }

        @Override
        public void end(StoredCall.Action action) {
            check(table.store.calls().end(id, version, action));
        }

        @Override
        public boolean remove() {
            String delete = "delete from " + RetryStore.CALLS + MINE + " and again = false";
            boolean isRemoved = table.store.template().update(delete, table.task, id, version) > 0;
            if (isRemoved && orderKey != null) {
                table.store.lines().advance(orderKey);
            }
            return isRemoved || !runsAgain();
        }

        /** Checks that the call is still leased, because only then must a call that could not end run again. */
        private boolean runsAgain() {
            String leased = "select again from " + RetryStore.CALLS + MINE;
            check(!table.store
                    .template()
                    .queryForList(leased, Boolean.class, table.task, id, version)
                    .isEmpty());
            return true;
        }

        private void check(boolean isMine) {
            if (!isMine) {
                throw new LeaseLostException(id);
            }
        }

        @Override
        public String toString() {
            return id;
        }
    }

    private record Row(String id, long version) {}

    /** Makes calls due again if their lease was not confirmed. Their lost attempts count as failed. */
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
                // An edited row must not block the others.
                failed = ex;
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    /** Revives a call. If another process does the same, only one of them succeeds. */
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

    /** Reads only the calls that are counted. */
    CallEngine.Backlog backlog(Predicate<String> methods) {
        long calls = 0;
        Instant nextDue = null;
        for (Map.Entry<DueCalls.Kind, Instant> kind : kinds(lane -> true).entrySet()) {
            if (methods.test(kind.getKey().method())) {
                calls += count(kind.getKey());
                nextDue = nextDue == null || kind.getValue().isBefore(nextDue) ? kind.getValue() : nextDue;
            }
        }
        return new CallEngine.Backlog(calls, nextDue);
    }

    private long count(DueCalls.Kind kind) {
        return Objects.requireNonNull(store.template()
                .queryForObject(
                        "select count(*)" + waiting + " and lane = ? and method_hash = ?",
                        Long.class,
                        kind.lane(),
                        kind.method()));
    }
}
