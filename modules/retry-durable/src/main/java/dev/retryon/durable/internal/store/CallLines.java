// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import com.github.kagkarlsson.scheduler.jdbc.JdbcCustomization;
import dev.retryon.durable.internal.engine.CallStore;
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
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The lines of calls with an order key. A call is in the line of its key while its row has the key, and only the first of a line
 * is not {@code BLOCKED}. Numbers are in the order of commits, because a transaction locks the row of the key until it ends. All
 * calls leave a line at its head, so it is empty when the call that was stored last has left it.
 */
public final class CallLines {

    private static final Log logger = LogFactory.getLog(CallLines.class);

    static final String BLOCKED = "BLOCKED";

    private static final String CALLS = RetryStore.CALLS;

    private static final String ORDERS = RetryStore.ORDERS;

    /** How long the row of a key without calls is kept. */
    private static final Duration KEPT = Duration.ofHours(1);

    /** How long a row is expected to exist. Without this, callers store about a third fewer calls per second. */
    private static final Duration PREPARED = KEPT.dividedBy(2);

    private static final int MOST_PREPARED = 10_000;

    private static final int BATCH = 500;

    /** How often a row is added on a database that reports an error if another transaction adds it. */
    private static final int TRIES = 5;

    private static final String ADD =
            "insert into " + ORDERS + " (task_name, order_key, last_number, last_id, used_at) values (?, ?, 1, ?, ?)";

    /** On MariaDB and MySQL, an assignment sees those before it. */
    private static final String COUNT =
            ORDERS + ".last_number + 1, previous_id = " + ORDERS + ".last_id, last_id = ?," + " used_at = ?";

    private static final String PLACE = "last_number, previous_id";

    private static final String ONE_KEY = " where task_name = ? and order_key = ?";

    private static final String ONE_CALL = " where task_name = ? and task_instance = ?";

    /** On MariaDB and MySQL. With READ COMMITTED, it locks neither a row that exists nor the gap beside it. */
    private static final String PREPARE = "insert ignore into " + ORDERS
            + " (task_name, order_key, last_number, last_id, used_at) select ?, ?, 0, '', ? from dual where not exists"
            + " (select 1 from " + ORDERS + ONE_KEY + ")";

    private final RetryStore store;

    /** When the rows of recent keys were added, if they were missing. */
    private final Map<String, Long> prepared = Collections.synchronizedMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MOST_PREPARED;
        }
    });

    private final String task;

    private final JdbcCustomization dialect;

    /** Reads the latest version of a row, and locks it. SQLite has one writer at a time anyway. */
    private final String forUpdate;

    private volatile Consumer<Next> freed = next -> {};

    CallLines(RetryStore store) {
        this.store = store;
        this.task = store.application();
        this.dialect = new CallDialect(store.database(), (limit, scheduler) -> List.of());
        this.forUpdate = store.database() == Database.SQLITE ? "" : " for update";
    }

    /**
     * The place of a call that is being stored.
     *
     * @param before the call that was stored before it; {@code null} if the line is certainly empty
     */
    public record Place(String key, long number, @Nullable String before) {

        public String state() {
            return before == null ? RetryStore.WAITING : BLOCKED;
        }
    }

    /** A call that is no longer blocked. */
    public record Next(String id, String lane, String method, Instant due) {}

    /** Sets the receiver of calls that are no longer blocked, after the commit. */
    public void onFreed(Consumer<Next> receiver) {
        freed = receiver;
    }

    /** Locks a key until the transaction of the thread ends, and returns the place of a call with it. */
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
     * Adds the row of a key before the caller locks it. If the caller added it and rolled back, the transactions that wait for it
     * would lock the gap that remains, and end in a deadlock. A row that the caller sees is no sign, because a read would fix the
     * caller's view of the database before it waits for other transactions of the key.
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
        // Not earlier, because other callers would not wait for the row. After a failure, too: the caller adds the row
        // itself, and a second try would wait for the caller.
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

    /** A row that was added before its first call names no call before that. */
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
     * Lets a call wait that is stored as blocked, unless the call before it is still in the line. Locks that call until the
     * transaction of the thread ends. Either this statement finds that it has ended, or the transaction that ends it finds this call.
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

    /** For filters, the call begins now, so a bulk task that began before leaves it alone. */
    private boolean free(String id) {
        long now = System.currentTimeMillis();
        return store.template()
                        .update(
                                "update " + CALLS + " set state = '" + RetryStore.WAITING + "', version = version + 1,"
                                        + " started_at = case when started_at > ? then started_at else ? end"
                                        + ONE_CALL + " and state = '" + BLOCKED + "'",
                                now,
                                now,
                                task,
                                id)
                == 1;
    }

    /** Takes a call out of its line, if it is in one. Must be in the transaction that ends the call, and after that. */
    void leave(String id) {
        String key =
                store.template().queryForObject("select order_key from " + CALLS + ONE_CALL, String.class, task, id);
        if (key != null) {
            store.template().update("update " + CALLS + " set order_key = null" + ONE_CALL, task, id);
            advance(key);
        }
    }

    /**
     * Lets the first call of a line wait, if it is blocked. Must be in the transaction in which the one before it has left, after a
     * statement that has locked that one, and without a read before that: a snapshot might lack the calls behind it.
     */
    public void advance(String key) {
        List<Next> first = store.template()
                .query(
                        "select task_instance, lane, method_hash, execution_time from " + CALLS + ONE_KEY
                                + " order by task_name, order_key, order_number limit 1",
                        (row, number) -> new Next(
                                row.getString("task_instance"),
                                row.getString("lane"),
                                row.getString("method_hash"),
                                Objects.requireNonNull(dialect.getInstant(row, "execution_time"))),
                        task,
                        key);
        if (!first.isEmpty() && free(first.get(0).id())) {
            afterCommit(() -> freed.accept(first.get(0)));
        }
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

    /** The lines that some dead letters are in, which are locked. */
    Set<String> keys(List<String> ids) {
        return store.jdbc()
                .sql("select order_key from " + CALLS
                        + " where task_name = :task and task_instance in (:ids) and order_key is not null" + forUpdate)
                .param("task", task)
                .param("ids", ids)
                .query(String.class)
                .set();
    }

    /** The first call of the line of a call; {@code null} if it is in no line. */
    @Nullable String first(String id) {
        return store
                .template()
                .queryForList(
                        "select task_instance from " + CALLS + " where task_name = ? and order_key = (select order_key"
                                + " from " + CALLS + ONE_CALL + ") order by task_name, order_key, order_number limit 1",
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
     * Frees the first calls of lines that are still blocked: other programs have deleted the rows before them, or the transaction
     * that ended the call before them could not see them, because its isolation is higher than READ COMMITTED. Then deletes the rows of
     * keys that have no calls.
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

    /** Those that a transaction is using are locked, and left. */
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
                // Again, because calls may have been stored before the rows were locked.
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
