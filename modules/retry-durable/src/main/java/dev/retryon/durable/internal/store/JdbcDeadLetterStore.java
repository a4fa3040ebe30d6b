// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterSummary;
import dev.retryon.durable.DeadLetters;
import dev.retryon.durable.internal.engine.DeadLetterStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The calls of table {@value RetryStore#CALLS} that have died, for any number of processes. Each change has the version of
 * the row as its condition, or locks the row while its state is read and changed, so one of two concurrent changes is refused.
 */
public final class JdbcDeadLetterStore implements DeadLetterStore {

    private static final String TABLE = RetryStore.CALLS;

    private static final int BATCH = 1000;

    /** A due time, which the table needs, and a call that is not resent does not. */
    private static final String UNUSED_TIME = "timestamp '2000-01-01 00:00:00'";

    private static final String UNUSED_MILLIS = "946684800000";

    /** Implies that the call has died. */
    private static final String NOT_RESENT = "state <> 'WAITING'";

    private final RetryStore store;

    /** Locks the row that is read, where the database can do that. SQLite has one writer at a time anyway. */
    private final String forUpdate;

    /** A duplicate key would end the whole transaction on PostgreSQL; SQLite's driver does not distinguish it from other errors. */
    private final String insert;

    /** The condition that a row belongs to the application. Its name has no quotes. */
    private final String mine;

    JdbcDeadLetterStore(RetryStore store) {
        this.store = store;
        this.forUpdate = store.database() == Database.SQLITE ? "" : " for update";
        this.insert =
                String.format(DeadLetterRow.INSERT, store.database() == Database.SQLITE ? UNUSED_MILLIS : UNUSED_TIME)
                        + switch (store.database()) {
                            case POSTGRESQL, SQLITE -> " on conflict (task_name, task_instance) do nothing";
                            case MARIADB, H2 -> "";
                        };
        this.mine = "task_name = '" + store.application() + "'";
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

    /** A letter that the database rejects is stored without its large parts, unless this is part of a larger write. */
    @Override
    public void put(DeadLetter letter) {
        RepeatedWrite.writeLetter(store, letter, this::write);
    }

    private boolean write(DeadLetter letter) {
        // In this order, because on MariaDB a lock on a missing row keeps others from inserting theirs.
        if (!insert(letter) && !update(letter) && !insert(letter)) {
            throw new ConcurrencyFailureException(
                    "other processes keep adding and deleting dead letter " + letter.id());
        }
        return true;
    }

    /** Returns {@code false} if a letter with this id exists. The transaction can continue. */
    private boolean insert(DeadLetter letter) {
        try {
            return sql(insert).params(row(letter)).update() == 1;
        } catch (DuplicateKeyException ex) {
            return false;
        }
    }

    /** Returns {@code false} if the call of this id has been deleted. A call that waits for its next attempt does not change. */
    private boolean update(DeadLetter letter) {
        DeadLetter kept = read(letter.id(), forUpdate).orElse(null);
        if (kept == null) {
            return isStored(letter.id());
        }
        sql(DeadLetterRow.UPDATE).params(again(kept, letter)).update();
        return true;
    }

    private boolean isStored(String id) {
        return sql("select count(*) from " + TABLE + " where task_instance = :id and " + mine)
                        .param("id", id)
                        .query(Integer.class)
                        .single()
                > 0;
    }

    /**
     * Turns a stored call into a dead letter, with the failures and actions of both if it was one before. Its lease ends.
     *
     * @return {@code false} if the call was changed, or must run again: nothing is written
     */
    public boolean die(String id, long version, DeadLetter letter) {
        Map<String, @Nullable Object> row =
                read(id, "").map(before -> again(before, letter)).orElseGet(() -> row(letter));
        return sql(DeadLetterRow.UPDATE + " and version = :version and again = false")
                        .params(row)
                        .param("version", version)
                        .update()
                == 1;
    }

    /**
     * Ends a call that runs for a dead letter, and its lease.
     *
     * @return {@code false} if the call was changed: nothing is written
     */
    public boolean end(String id, long version, DeadLetter.Action action) {
        return read(id, "")
                .map(letter -> sql("update " + TABLE + " set state = :state, actions = :actions, task_data = null, "
                                        + RetryStore.NOT_LEASED + " where task_instance = :id and " + mine
                                        + " and version = :version")
                                .param("state", DeadLetterRow.state(action.what()))
                                .param("actions", DeadLetterRow.actions(letter.after(action)))
                                .param("id", id)
                                .param("version", version)
                                .update()
                        == 1)
                .orElse(false);
    }

    /** Omits arguments that the row has already: together with the new failures, they might be too large for the server. */
    private Map<String, @Nullable Object> again(DeadLetter before, DeadLetter again) {
        return row(before.died(again).withArguments(again.arguments()));
    }

    private Map<String, @Nullable Object> row(DeadLetter letter) {
        return DeadLetterRow.of(letter, store.application());
    }

    @Override
    public Optional<DeadLetter> find(String id) {
        return read(id, "");
    }

    /**
     * Reads a dead letter. That it has died is no condition, because PostgreSQL would read all dead letters if its statistics are
     * from a time with few.
     */
    private Optional<DeadLetter> read(String id, String suffix) {
        return sql("select " + DeadLetterRow.COLUMNS + " from " + TABLE + " where task_instance = :id and " + mine
                        + suffix)
                .param("id", id)
                .query(row -> row.next() && row.getObject("died_at") != null
                        ? Optional.of(DeadLetterRow.read(row))
                        : Optional.<DeadLetter>empty());
    }

    @Override
    public DeadLetters.Page list(DeadLetterFilter filter, @Nullable String cursor, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit is '" + limit + "', but must be at least 1");
        }
        DeadLetterQuery query = new DeadLetterQuery(store.application(), filter);
        if (cursor != null) {
            query.after(cursor);
        }
        List<DeadLetterSummary> found = new ArrayList<>(sql("select " + DeadLetterRow.SUMMARY + " from " + TABLE
                        + query.where() + " order by died_at desc, task_instance desc limit :limit")
                .params(query.params())
                .param("limit", limit + 1L)
                .query((row, number) -> DeadLetterRow.summary(row))
                .list());
        if (found.size() <= limit) {
            return new DeadLetters.Page(found, null);
        }
        found.remove(limit);
        return new DeadLetters.Page(found, DeadLetterQuery.cursor(found.get(limit - 1)));
    }

    @Override
    public long count(DeadLetterFilter filter) {
        DeadLetterQuery query = new DeadLetterQuery(store.application(), filter);
        return sql("select count(*) from " + TABLE + query.where())
                .params(query.params())
                .query(Long.class)
                .single();
    }

    @Override
    public List<DeadLetters.Group> groups(DeadLetterFilter filter, int limit) {
        DeadLetterQuery query = new DeadLetterQuery(store.application(), filter);
        return sql("select name, error_type, count(*) as letters, min(died_at) as oldest, max(died_at) as newest"
                        + " from "
                        + TABLE + query.where()
                        + " group by name, error_type order by letters desc, newest desc limit :limit")
                .params(query.params())
                .param("limit", limit)
                .query((row, number) -> new DeadLetters.Group(
                        row.getString("name"),
                        row.getString("error_type"),
                        row.getLong("letters"),
                        Instant.ofEpochMilli(row.getLong("oldest")),
                        Instant.ofEpochMilli(row.getLong("newest"))))
                .list();
    }

    @Override
    public List<Total> totals() {
        return sql("select standing, count(*) as letters, min(died_at) as oldest from (select died_at,"
                        + " case when state in ('WAITING', 'RESOLVED', 'DISCARDED') then state else 'DEAD' end as standing"
                        + " from " + TABLE + " where died_at is not null and " + mine + ") standings group by standing")
                .query((row, number) -> new Total(
                        DeadLetterRow.status(row.getString("standing")),
                        row.getLong("letters"),
                        Instant.ofEpochMilli(row.getLong("oldest"))))
                .list();
    }

    @Override
    public boolean move(String id, DeadLetterStatus from, DeadLetter.Action action) {
        return from.admits(action.what())
                && store.write(() -> read(id, forUpdate)
                        .filter(letter -> letter.status() == from)
                        .map(letter -> writeStatus(letter.after(action)))
                        .orElse(false));
    }

    private boolean writeStatus(DeadLetter letter) {
        return sql("update " + TABLE + " set state = :state, actions = :actions, version = version + 1"
                                + " where task_instance = :id and " + mine)
                        .param("state", DeadLetterRow.state(letter.status()))
                        .param("actions", DeadLetterRow.actions(letter))
                        .param("id", letter.id())
                        .update()
                == 1;
    }

    @Override
    public int delete(@Nullable Instant diedBefore, long maxCount) {
        int deleted = 0;
        if (diedBefore != null) {
            deleted += deleteAll("died_at < :at", Map.of("at", DeadLetterQuery.millis(diedBefore)));
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

    /** The newest dead letter that has at least the given number of newer ones; {@code null} if there is none. */
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
        return store.write(
                () -> sql("delete from " + TABLE + " where " + mine + " and task_instance in (:ids) and " + NOT_RESENT)
                        .param("ids", ids)
                        .update());
    }

    @Override
    public String toString() {
        return "dead letters in " + store;
    }
}
