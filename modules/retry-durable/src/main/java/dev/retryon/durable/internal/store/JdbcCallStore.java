// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import com.github.kagkarlsson.scheduler.jdbc.JdbcCustomization;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCalls.Filter;
import dev.retryon.durable.StoredCalls.Group;
import dev.retryon.durable.StoredCalls.Page;
import dev.retryon.durable.StoredCalls.Summary;
import dev.retryon.durable.StoredCalls.Task;
import dev.retryon.durable.internal.engine.BulkTask;
import dev.retryon.durable.internal.engine.BulkTaskStore;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.engine.Sections;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.SqlTypeValue;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The calls of table {@value RetryStore#CALLS}, for any number of processes. Each change has the version of the row as its
 * condition, or locks the row while its state is read and changed, so one of two concurrent changes is rejected.
 */
public final class JdbcCallStore implements CallStore {

    private static final String TABLE = RetryStore.CALLS;

    private static final int BATCH = 1000;

    /** An unused due time, which the table requires even if the call is not resent. */
    private static final String UNUSED_TIME = "timestamp '2000-01-01 00:00:00'";

    private static final String UNUSED_MILLIS = "946684800000";

    /** Implies that the call has died. */
    private static final String NOT_RESENT = "state <> 'WAITING'";

    /** The due time of the call was set by a task, and no worker has leased it since then. */
    private static final String UNSENT =
            "state = 'WAITING' and picked = false and task = :task and task_undo is not null";

    private static final String RESENT = "version = version + 1, task_data = :data, execution_time = :due,"
            + " consecutive_failures = 0, name = :name, attempt = :attempt, started_at = :started, lane = :lane,"
            + " method_hash = :method, unfit_since = null, task = :task, task_undo = :undo";

    private final RetryStore store;

    private final BulkTaskStore tasks;

    private final JdbcCustomization dialect;

    /** Locks the row that is read, if the database supports this. SQLite has only one writer at a time anyway. */
    private final String forUpdate;

    /**
     * Ignores a duplicate key. Its error would end PostgreSQL's transaction, and SQLite's driver does not distinguish it
     * from other errors.
     */
    private final String insert;

    /** The hint for counts by state. MySQL would otherwise read all rows, in the order of the primary key. */
    private final String byState;

    /** The hint for counts of calls that have not ended, with an index that contains their due times. */
    private final String byDue;

    /** The condition that a row belongs to the application, whose name contains no quotes. */
    private final String mine;

    /** The condition of statements for one row. */
    private final String one;

    JdbcCallStore(RetryStore store) {
        this.store = store;
        this.tasks = new JdbcBulkTasks(store);
        this.dialect = new CallDialect(store.database(), (limit, scheduler) -> List.of());
        this.forUpdate = store.database() == Database.SQLITE ? "" : " for update";
        this.insert = String.format(CallRow.INSERT, store.database() == Database.SQLITE ? UNUSED_MILLIS : UNUSED_TIME)
                + switch (store.database()) {
                    case POSTGRESQL, SQLITE -> " on conflict (task_name, task_instance) do nothing";
                    case MARIADB, MYSQL, H2 -> "";
                };
        this.byState = hint("retryon_call_state");
        this.byDue = hint("retryon_call_due");
        this.mine = "task_name = '" + store.application() + "'";
        this.one = " where task_instance = :id and " + mine;
    }

    private String hint(String index) {
        return store.database() == Database.MYSQL ? "/*+ INDEX(" + TABLE + " " + index + ") */ " : "";
    }

    private JdbcClient.StatementSpec sql(String sql) {
        return store.jdbc().sql(sql);
    }

    @Override
    public @Nullable String missingRight() {
        return store.missingRight(TABLE);
    }

    @Override
    public boolean afterCaller(Runnable write) {
        return store.afterCaller(write);
    }

    /** Stores a letter; only its small parts if the database rejects it and this write is not part of a larger one. */
    @Override
    public void put(DeadLetter letter) {
        RepeatedWrite.writeLetter(store, letter, this::write);
    }

    private boolean write(DeadLetter letter) {
        // In this order, because on MariaDB and MySQL a lock on a missing row keeps others from inserting theirs.
        if (!insert(letter) && !update(letter) && !insert(letter)) {
            throw new ConcurrencyFailureException(
                    "other processes keep adding and deleting dead letter " + letter.id());
        }
        return true;
    }

    /** Inserts a letter. Returns {@code false} if a letter with this id exists; the transaction can continue. */
    private boolean insert(DeadLetter letter) {
        try {
            return sql(insert).params(row(letter)).update() == 1;
        } catch (DuplicateKeyException ex) {
            return false;
        }
    }

    /** Updates a letter. Returns {@code false} if the call has been deleted. A call that waits for an attempt does not change. */
    private boolean update(DeadLetter letter) {
        Found kept = read(letter.id(), forUpdate).orElse(null);
        if (kept != null && kept.letter() != null) {
            sql(CallRow.UPDATE).params(again(kept.letter(), letter)).update();
        }
        return kept != null;
    }

    @Override
    public boolean die(Found found, DeadLetter letter) {
        return found.state() != StoredCall.State.RUNNING && die(found.version(), letter);
    }

    /**
     * Turns a call into a dead letter, with the failures and actions of both if it was one before, and ends its lease.
     * Returns {@code false} if the call was changed, or must run again; in that case, nothing is written.
     */
    public boolean die(long version, DeadLetter letter) {
        Map<String, @Nullable Object> row =
                locked(letter.id()).map(before -> again(before, letter)).orElseGet(() -> row(letter));
        return sql(CallRow.UPDATE + " and version = :version and again = false")
                        .params(row)
                        .param("version", version)
                        .update()
                == 1;
    }

    /** Ends a resent call and its lease. Returns {@code false} if the call was changed; in that case, nothing is written. */
    public boolean end(String id, long version, StoredCall.Action action) {
        boolean done = locked(id)
                .map(letter -> letter.after(action))
                .map(letter ->
                        change(letter, "task_data = null, " + RetryStore.NOT_LEASED + one + " and version = :version")
                                        .param("version", version)
                                        .update()
                                == 1)
                .orElse(false);
        if (done) {
            leaveOrder(id);
        }
        return done;
    }

    /** Returns an update of a dead letter's state and actions, which the given columns and condition complete. */
    private JdbcClient.StatementSpec change(DeadLetter letter, String rest) {
        return sql("update " + TABLE + " set state = :state, actions = :actions, " + rest)
                .param("state", letter.state().name())
                .param("actions", CallRow.actions(letter))
                .param("id", letter.id());
    }

    @Override
    public void leaveOrder(String id) {
        store.lines().leave(id);
    }

    @Override
    public @Nullable String waitsFor(String id) {
        return store.lines().first(id);
    }

    @Override
    public Blocked blocked() {
        return store.lines().blocked();
    }

    /** Omits arguments that the row already contains, because with the new failures, they might be too large for the server. */
    private Map<String, @Nullable Object> again(DeadLetter before, DeadLetter again) {
        return row(before.died(again).withArguments(again.isReadable() ? again.arguments() : null));
    }

    private Map<String, @Nullable Object> row(DeadLetter letter) {
        return CallRow.of(letter, store.application());
    }

    @Override
    public Optional<Found> find(String id) {
        return read(id, "");
    }

    /**
     * Reads a call. The state is not a condition, because PostgreSQL would read all calls in this state if its statistics
     * are from a time with few calls.
     */
    private Optional<Found> read(String id, String suffix) {
        return sql("select " + CallRow.ALL + " from " + TABLE + one + suffix)
                .param("id", id)
                .query((row, number) -> CallRow.found(row, dialect))
                .optional();
    }

    @Override
    public byte @Nullable [] content(String id, long version, long longest) {
        // Not read at all if it is too long, because another program might have written it.
        List<byte[]> found = sql("select task_data from " + TABLE + one
                        + " and version = :version and octet_length(task_data) <= :longest")
                .param("id", id)
                .param("version", version)
                .param("longest", longest)
                .query((row, number) -> dialect.getTaskData(row, "task_data"))
                .list();
        return found.isEmpty() ? null : found.get(0);
    }

    @Override
    public List<Start> starts(List<String> ids, int longest) {
        return sql("select task_instance, method, substr(task_data, 1, " + longest + ") as task_data,"
                        + " substr(arguments, 1, " + longest + ") as arguments from " + TABLE + " where " + mine
                        + " and task_instance in (:ids)")
                .param("ids", ids)
                .query((row, number) -> start(row))
                .list();
    }

    private Start start(ResultSet row) throws SQLException {
        byte[] content = dialect.getTaskData(row, "task_data");
        return new Start(
                row.getString("task_instance"),
                content == null ? null : new String(content, StandardCharsets.UTF_8),
                row.getString("method"),
                row.getString("arguments"));
    }

    @Override
    public Page list(Filter filter, @Nullable String cursor, int limit) {
        return Sections.list(filter, cursor, limit, this::page);
    }

    private Page page(Filter section, @Nullable String cursor, int limit) {
        CallQuery query = query(section);
        if (cursor != null) {
            query.after(cursor);
        }
        List<Summary> found = query.page(store.jdbc(), store.database().isInnoDb(), hintOf(section), limit + 1L)
                .query((row, number) -> CallRow.summary(row, dialect))
                .list();
        return found.size() <= limit
                ? new Page(found, null)
                : new Page(found.subList(0, limit), query.cursor(found.get(limit - 1)));
    }

    private CallQuery query(Filter section) {
        return new CallQuery(mine, section, dialect);
    }

    @Override
    public List<String> openIds(Filter filter, @Nullable String after, int limit) {
        CallQuery query = query(filter);
        if (after != null) {
            query.afterId(after);
        }
        return query.select(store.jdbc(), "task_instance", " order by task_instance limit " + limit)
                .query(String.class)
                .list();
    }

    @Override
    public long count(Filter filter) {
        return Sections.of(filter).stream().mapToLong(this::countOf).sum();
    }

    private long countOf(Filter section) {
        return query(section)
                .select(store.jdbc(), hintOf(section) + "count(*)", "")
                .query(Long.class)
                .single();
    }

    /** Returns a hint to use the index with all columns of a section's condition, or an empty text if none has them. */
    private String hintOf(Filter section) {
        if (section.name() != null || section.errorType() != null || section.text() != null) {
            return "";
        }
        if (!Sections.isOpen(section)) {
            return section.lane() == null ? byState : "";
        }
        boolean isByDue = !section.states().contains(StoredCall.State.BLOCKED)
                && section.from() == null
                && section.before() == null;
        return isByDue ? byDue : "";
    }

    @Override
    public List<Group> groups(Filter filter, int limit) {
        return Sections.groups(filter, limit, section -> groupsOf(section, limit));
    }

    private List<Group> groupsOf(Filter section, int limit) {
        boolean isOpen = Sections.isOpen(section);
        String columns = "name, error_type, count(*) as calls, "
                + (isOpen
                        ? "min(started_at) as oldest, min(execution_time) as next_due"
                        : "min(died_at) as oldest, max(died_at) as newest");
        String rest =
                " group by name, error_type order by calls desc, " + (isOpen ? "name" : "newest desc") + " limit ";
        StoredCall.State first = section.states().iterator().next();
        StoredCall.State state = first == StoredCall.State.RUNNING ? StoredCall.State.WAITING : first;
        return query(section)
                .select(store.jdbc(), columns, rest + limit)
                .query((row, number) -> group(row, state))
                .list();
    }

    private Group group(ResultSet row, StoredCall.State state) throws SQLException {
        boolean isOpen = Sections.isOpen(state);
        String name = row.getString("name");
        return new Group(
                name == null ? UNKNOWN : name,
                row.getString("error_type"),
                state,
                row.getLong("calls"),
                CallRow.time(row, "oldest"),
                isOpen ? null : CallRow.time(row, "newest"),
                isOpen ? dialect.getInstant(row, "next_due") : null);
    }

    @Override
    public List<Total> totals() {
        return sql("select standing, count(*) as letters, min(died_at) as oldest from (select " + byState + "died_at,"
                        + " case when state in ('WAITING', 'RESOLVED', 'DISCARDED') then state else 'DEAD' end as standing"
                        + " from " + TABLE + " where died_at is not null and " + mine + ") standings group by standing")
                .query((row, number) -> new Total(
                        CallRow.state(row.getString("standing")),
                        row.getLong("letters"),
                        Instant.ofEpochMilli(row.getLong("oldest"))))
                .list();
    }

    private record Due(String lane, Instant at, boolean isWaiting, long version) {}

    @Override
    public @Nullable String hasten(String id, Instant due, @Nullable String task) {
        Due found = sql("select lane, execution_time, state, picked, version from " + TABLE + one)
                .param("id", id)
                .query((row, number) -> new Due(
                        row.getString("lane"),
                        dialect.getInstant(row, "execution_time"),
                        row.getString("state").equals(RetryStore.WAITING) && !row.getBoolean("picked"),
                        row.getLong("version")))
                .optional()
                .orElse(null);
        if (found == null || !found.isWaiting()) {
            return null;
        }
        boolean done = !found.at().isAfter(due)
                || sql("update " + TABLE + " set execution_time = :due, task_undo = :undo"
                                        + (task == null ? "" : ", task = :task") + one + " and version = :version")
                                .param("due", CallQuery.time(due, dialect))
                                .param("undo", task == null ? null : micros(found.at()), Types.BIGINT)
                                .param("task", task)
                                .param("id", id)
                                .param("version", found.version())
                                .update()
                        > 0;
        return done ? found.lane() : null;
    }

    private static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    @Override
    public boolean resend(
            StoredCall.Action action,
            String id,
            byte[] call,
            CallEngine.Label label,
            Instant due,
            @Nullable String task) {
        SqlTypeValue data = (statement, index, type, name) -> dialect.setTaskData(statement, index, call);
        // By the clock of a process that is behind, the call can have died before the task began.
        String unlessSent = task == null ? "" : " and (task is null or task <> :task)";
        return store.write(() -> dead(id).map(letter -> letter.after(action))
                .map(letter -> change(letter, RESENT + one + unlessSent)
                                .param("task", task, Types.VARCHAR)
                                .param("undo", task == null ? null : (long) letter.attempts(), Types.BIGINT)
                                .param("data", data)
                                .param("due", CallQuery.time(due, dialect))
                                .param("name", RetryStore.storable(label.name(), RetryStore.LONGEST_NAME))
                                .param("attempt", label.attempt())
                                .param("started", label.startedAt().toEpochMilli())
                                .param("lane", label.lane())
                                .param("method", label.method())
                                .update()
                        == 1)
                .orElse(false));
    }

    /** Locks a call. Returns the call's dead letter if it has died. */
    private Optional<DeadLetter> locked(String id) {
        return read(id, forUpdate).map(Found::letter);
    }

    @Override
    public List<String> unsent(String task, @Nullable String after, int limit) {
        return sql("select task_instance from " + TABLE + " where " + mine + " and " + UNSENT
                        + " and task_instance > :after order by task_instance limit " + limit)
                .param("task", task)
                .param("after", after == null ? "" : after)
                .query(String.class)
                .list();
    }

    private record Undo(long value, long version) {}

    @Override
    public boolean restore(String id, BulkTask task, StoredCall.Action cancelled) {
        return store.write(() -> sql("select task_undo, version from " + TABLE + one + " and " + UNSENT + forUpdate)
                .param("id", id)
                .param("task", task.id())
                .query((row, number) -> new Undo(row.getLong("task_undo"), row.getLong("version")))
                .optional()
                .map(undo -> task.action() == Task.Action.RESEND ? dieAgain(id, undo, cancelled) : postpone(id, undo))
                .orElse(false));
    }

    private boolean postpone(String id, Undo undo) {
        Instant due = Instant.EPOCH.plus(undo.value(), ChronoUnit.MICROS);
        return sql("update " + TABLE + " set execution_time = :due, task_undo = null" + one + " and version = :version")
                        .param("due", CallQuery.time(due, dialect))
                        .param("id", id)
                        .param("version", undo.version())
                        .update()
                == 1;
    }

    private boolean dieAgain(String id, Undo undo, StoredCall.Action cancelled) {
        return died(id).map(letter -> letter.after(cancelled))
                .map(letter -> change(
                                        letter,
                                        "attempt = :attempts, task_data = null, task_undo = null, version = version + 1"
                                                + one + " and version = :version")
                                .param("attempts", undo.value())
                                .param("version", undo.version())
                                .update()
                        == 1)
                .orElse(false);
    }

    @Override
    public boolean hasResent(String task) {
        return !sql("select " + byState + "1 from " + TABLE + " where " + mine
                        + " and state = 'WAITING' and died_at is not null and task = :task limit 1")
                .param("task", task)
                .query(Integer.class)
                .list()
                .isEmpty();
    }

    @Override
    public BulkTaskStore tasks() {
        return tasks;
    }

    /** Locks a call, and returns its dead letter if it is dead. */
    private Optional<DeadLetter> dead(String id) {
        return locked(id).filter(letter -> letter.state() == StoredCall.State.DEAD);
    }

    @Override
    public boolean discard(String id, StoredCall.Action action) {
        return store.write(() -> dead(id).map(letter -> letter.after(action))
                .map(letter -> {
                    int changed = change(letter, "version = version + 1" + one).update();
                    leaveOrder(id);
                    return changed == 1;
                })
                .orElse(false));
    }

    @Override
    public int delete(@Nullable Instant diedBefore, long maxCount) {
        int deleted = 0;
        if (diedBefore != null) {
            deleted += deleteAll("died_at < :at", Map.of("at", CallQuery.millis(diedBefore)));
        }
        Place place = newest(maxCount);
        if (place != null) {
            deleted += deleteAll(
                    "(died_at < :at or (died_at = :at and task_instance <= :id))",
                    Map.of("at", place.diedAt(), "id", place.id()));
        }
        return deleted;
    }

    private record Place(long diedAt, String id) {}

    /** Returns the newest dead letter that has at least the given number of newer ones, or {@code null} if none has. */
    private @Nullable Place newest(long newer) {
        return sql("select died_at, task_instance from " + TABLE + " where died_at is not null and " + mine
                        + " order by died_at desc, task_instance desc limit 1 offset :newer")
                .param("newer", newer)
                .query((row, number) -> new Place(row.getLong("died_at"), row.getString("task_instance")))
                .optional()
                .orElse(null);
    }

    /** Deletes dead letters that are not being resent, the oldest first. */
    private int deleteAll(String condition, Map<String, ?> params) {
        int deleted = 0;
        List<String> ids;
        do {
            ids = sql("select task_instance from " + TABLE + " where died_at is not null and " + mine + " and "
                            + NOT_RESENT + " and " + condition + " order by died_at, task_instance limit :limit")
                    .param("limit", BATCH)
                    .params(params)
                    .query(String.class)
                    .list();
            deleted += ids.isEmpty() ? 0 : deleteAll(ids);
        } while (ids.size() == BATCH);
        return deleted;
    }

    private int deleteAll(List<String> ids) {
        return store.write(() -> {
            Set<String> keys = store.lines().keys(ids);
            int deleted = sql("delete from " + TABLE + " where " + mine + " and task_instance in (:ids) and "
                            + NOT_RESENT)
                    .param("ids", ids)
                    .update();
            keys.forEach(store.lines()::advance);
            return deleted;
        });
    }

    @Override
    public String toString() {
        return "calls in " + store;
    }
}
