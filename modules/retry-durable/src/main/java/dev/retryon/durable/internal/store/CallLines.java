// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import com.github.kagkarlsson.scheduler.jdbc.JdbcCustomization;
import dev.retryon.durable.internal.engine.CallStore;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The lines of calls with an order key. A call is in the line of its key while its row has the key, and only the first call
 * in a line is not {@code BLOCKED}. Numbers are in the order of commits, because a transaction locks the row of the key
 * until it ends. All calls leave a line at its head, so the line is empty when the call that was stored last has left it.
 */
public final class CallLines {

    private static final Log logger = LogFactory.getLog(CallLines.class);

    static final String BLOCKED = "BLOCKED";

    private static final String CALLS = RetryStore.CALLS;

    private static final String ORDERS = RetryStore.ORDERS;

    /** How long the row of a key without calls is kept. */
    private static final Duration KEPT = Duration.ofHours(1);

    /** How long a row is assumed to exist; otherwise, callers would store about a third fewer calls per second. */
    private static final Duration PREPARED = KEPT.dividedBy(2);

    private static final int MOST_PREPARED = 10_000;

    private static final int BATCH = 500;

    /** How often a row is added on a database that reports an error if another transaction adds the same row. */
    private static final int TRIES = 5;

    private static final String ADD =
            "insert into " + ORDERS + " (task_name, order_key, last_number, last_id, used_at) values (?, ?, 1, ?, ?)";

    /** On MariaDB and MySQL, an assignment sees the previous assignments. */
    private static final String COUNT =
            ORDERS + ".last_number + 1, previous_id = " + ORDERS + ".last_id, last_id = ?," + " used_at = ?";

    private static final String PLACE = "last_number, previous_id";

    private static final String ONE_KEY = " where task_name = ? and order_key = ?";

    private static final String ONE_CALL = " where task_name = ? and task_instance = ?";

    /** Turns a blocked call into a waiting call. */
    private static final String FREE = "update " + CALLS + " set state = '" + RetryStore.WAITING
            + "', version = version + 1, started_at = case when started_at > ? then started_at else ? end"
            + " where task_name = ? and state = '" + BLOCKED + "'";

    private static final String NEXT = "task_instance, lane, method_hash, execution_time";

    private static final String FIRST_IN_LINE = " order by task_name, order_key, order_number limit 1";

    private static final String FIRST = " from " + CALLS + ONE_KEY + FIRST_IN_LINE;

    /** For MariaDB and MySQL. With READ COMMITTED, this statement locks neither an existing row nor the gap beside it. */
    private static final String PREPARE = "insert ignore into " + ORDERS
            + " (task_name, order_key, last_number, last_id, used_at) select ?, ?, 0, '', ? from dual where not exists"
            + " (select 1 from " + ORDERS + ONE_KEY + ")";

    private final RetryStore store;

    /** The times at which missing rows of recent keys were added. */
    private final Map<String, Long> prepared = Collections.synchronizedMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MOST_PREPARED;
        }
    });

    private final String task;

    private final JdbcCustomization dialect;

    /** Reads the latest version of a row, and locks it. SQLite has only one writer at a time anyway. */
    private final String forUpdate;

    private volatile Consumer<Next> freed = next -> {};

    CallLines(RetryStore store) {
        this.store = store;
        this.task = store.application();
        this.dialect = new CallDialect(store.database(), (limit, scheduler) -> List.of());
        this.forUpdate = store.database() == Database.SQLITE ? "" : " for update";
    }

    /** The place of a call that is being stored; the call before is {@code null} if the line is certainly empty. */
    public record Place(String key, long number, @Nullable String before) {

        public String state() {
            return before == null ? RetryStore.WAITING : BLOCKED;
        }
    }

    public record Next(String id, String lane, String method, Instant due) {}

    /** Sets the receiver of calls that are no longer blocked, after the commit. */
    public void onFreed(Consumer<Next> receiver) {
        freed = receiver;
    }

    /** Locks a key until the thread's transaction ends, and returns the place of a call with this key. */
    public Place place(String key, String id) {
        long now = System.currentTimeMillis();
        String onConflict = " on conflict (task_name, order_key) do update set last_number = " + COUNT;
        Object[] values = {task, key, id, now, id, now};
        switch (store.database()) {
            case POSTGRESQL -> {
                return read(key, ADD + onConflict + " returning " + PLACE, values);
            }
            case SQLITE -> store.template().update(ADD + onConflict, values);
            case MARIADB, MYSQL -> {
                prepare(key, now);
                store.template()
                        .update(store.asItIs() + ADD + " on duplicate key update last_number = " + COUNT, values);
            }
            case H2 -> count(key, id, now);
        }
        return read(key, "select " + PLACE + " from " + ORDERS + ONE_KEY, task, key);
    }

    /**
     * Adds the row of a key before the caller locks it. If the caller added it and rolled back, the transactions that wait
     * for it would lock the gap that remains, and end in a deadlock. The caller does not check first whether the row exists,
     * because a read would fix the caller's view of the database before it waits for other transactions with the key.
     */
    private void prepare(String key, long now) {
        Long last = prepared.get(key);
        if (store.isWriting() || (last != null && now - last < PREPARED.toMillis())) {
            return;
        }
        try {
            store.writeBeside(() -> store.template().update(store.asItIs() + PREPARE, task, key, now, task, key));
        } catch (RuntimeException ex) {
            logger.debug("The row of an order key cannot be added before its first call is stored", ex);
        }
        // Not earlier, because other callers would not wait for the row. Also after a failure, because the caller adds
        // the row itself, and a second try would wait for the caller.
        prepared.put(key, now);
    }

    private Place read(String key, String sql, Object... values) {
        return store.template()
                .query(
                        sql,
                        (row, number) -> place(key, row.getLong("last_number"), row.getString("previous_id")),
                        values)
                .get(0);
    }

    /** Returns a call's place. A row that was added before the first call in its line names no earlier call. */
    private static Place place(String key, long number, @Nullable String before) {
        return new Place(key, number, number == 1 ? null : before);
    }

    private void count(String key, String id, long now) {
        for (int tries = 0; tries < TRIES; tries++) {
            if (store.template()
                            .update("update " + ORDERS + " set last_number = " + COUNT + ONE_KEY, id, now, task, key)
                    == 1) {
                return;
            }
            try {
                store.template().update(ADD, task, key, id, now);
                return;
            } catch (DuplicateKeyException ex) {
                // Another transaction has added it.
            }
        }
        throw new ConcurrencyFailureException("other processes keep adding and deleting the order key of call " + id);
    }

    /**
     * Releases a call that is stored as blocked, unless the previous call is still in the line. Locks the previous call
     * until the thread's transaction ends. Either this statement finds that the previous call has ended, or the transaction
     * that ends the previous call finds this call.
     */
    public void enter(Place place, String id) {
        boolean isBehind = !store.template()
                .queryForList(
                        store.asItIs() + "select 1 from " + CALLS + ONE_CALL + " and order_key = ?" + forUpdate,
                        Integer.class,
                        task,
                        place.before(),
                        place.key())
                .isEmpty();
        if (!isBehind) {
            free(id);
        }
    }

    /** Releases a call in its line. For filters, the call begins now, so an earlier bulk task does not affect it. */
    private boolean free(String id) {
        long now = System.currentTimeMillis();
        return store.template().update(FREE + " and task_instance = ?", now, now, task, id) == 1;
    }

    /** Removes a call from its line, if it is in one. Must run in the transaction that ends the call, afterwards. */
    void leave(String id) {
        String key =
                store.template().queryForObject("select order_key from " + CALLS + ONE_CALL, String.class, task, id);
        if (key != null) {
            store.template().update("update " + CALLS + " set order_key = null" + ONE_CALL, task, id);
            advance(key);
        }
    }

    /**
     * Releases the first call in a line, if it is blocked. Must run in the transaction in which the previous call has left
     * the line, after a statement that has locked the previous call. No read may precede that statement, because a snapshot
     * might lack the following calls.
     */
    public void advance(String key) {
        Next next = store.database() == Database.POSTGRESQL ? freeFirst(key) : findAndFreeFirst(key);
        if (next != null) {
            afterCommit(() -> freed.accept(next));
        }
    }

    /** Releases the first call in a line, if it is blocked. Uses one statement, because a worker waits for each. */
    private @Nullable Next freeFirst(String key) {
        long now = System.currentTimeMillis();
        return DataAccessUtils.singleResult(store.template()
                .query(
                        FREE + " and task_instance = (select task_instance" + FIRST + ") returning " + NEXT,
                        this::next,
                        now,
                        now,
                        task,
                        task,
                        key));
    }

    private @Nullable Next findAndFreeFirst(String key) {
        Next first =
                DataAccessUtils.singleResult(store.template().query("select " + NEXT + FIRST, this::next, task, key));
        return first != null && free(first.id()) ? first : null;
    }

    private Next next(ResultSet row, int number) throws SQLException {
        return new Next(
                row.getString("task_instance"),
                row.getString("lane"),
                row.getString("method_hash"),
                Objects.requireNonNull(dialect.getInstant(row, "execution_time")));
    }

    private static void afterCommit(Runnable action) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            action.run();
            return;
        }
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                action.run();
            }
        });
    }

    /** Returns the lines of the given dead letters, and locks these lines. */
    Set<String> keys(List<String> ids) {
        return store.jdbc()
                .sql("select order_key from " + CALLS
                        + " where task_name = :task and task_instance in (:ids) and order_key is not null" + forUpdate)
                .param("task", task)
                .param("ids", ids)
                .query(String.class)
                .set();
    }

    /** Returns the first call in a call's line, or {@code null} if the call is in no line. */
    @Nullable String first(String id) {
        return store
                .template()
                .queryForList(
                        "select task_instance from " + CALLS + " where task_name = ? and order_key = (select order_key"
                                + " from " + CALLS + ONE_CALL + ")" + FIRST_IN_LINE,
                        String.class,
                        task,
                        task,
                        id)
                .stream()
                .findFirst()
                .orElse(null);
    }

    CallStore.Blocked blocked() {
        return store.template()
                .query(
                        "select count(*) as calls, count(distinct order_key) as order_keys, min(started_at) as oldest"
                                + " from " + CALLS
                                + " where task_name = ? and state = '" + BLOCKED + "' and order_key is not null",
                        (row, number) -> new CallStore.Blocked(
                                row.getLong("order_keys"), row.getLong("calls"), CallRow.time(row, "oldest")),
                        task)
                .get(0);
    }

    /**
     * Releases the first calls in lines that are still blocked, and then deletes the rows of keys without calls. First calls
     * can be blocked because other programs have deleted the previous rows. Another reason is that the transaction that
     * ended the previous call could not see them, because its isolation is higher than READ COMMITTED.
     */
    public void repair() {
        List<String> keys = store.jdbc()
                .sql("select order_key from " + CALLS + " where task_name = :task and order_key is not null"
                        + " group by order_key having min(order_number) = min(case when state = '" + BLOCKED
                        + "' then order_number end)")
                .param("task", task)
                .query(String.class)
                .list();
        for (String key : keys) {
            store.writeAll(() -> advance(key));
        }
        forget();
    }

    /** Deletes unused lines. Lines that a transaction is using are locked and therefore remain. */
    private void forget() {
        long before = System.currentTimeMillis() - KEPT.toMillis();
        String unused = ORDERS + " where task_name = '" + task + "' and used_at < " + before
                + " and not exists (select 1 from " + CALLS + " where " + CALLS + ".task_name = '" + task + "' and "
                + CALLS + ".order_key = " + ORDERS + ".order_key)";
        String locked = switch (store.database()) {
            case POSTGRESQL, MARIADB, MYSQL -> " for update skip locked";
            case H2, SQLITE -> forUpdate;
        };
        int deleted;
        do {
            deleted = store.write(() -> {
                List<String> keys = store.template()
                        .queryForList("select order_key from " + unused + " limit " + BATCH + locked, String.class);
                // Again, because calls can have been stored before the rows were locked.
                return keys.isEmpty()
                        ? 0
                        : store.jdbc()
                                .sql("delete from " + unused + " and order_key in (:keys)")
                                .param("keys", keys)
                                .update();
            });
        } while (deleted == BATCH);
    }
}
