/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.store;

import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.deadletter.DeadLetterSummary;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Keeps dead letters in table {@value RetryStore#DEAD_LETTERS}, for any number of processes. A status changes only if it is
 * still what was read, so that of two who want to change it one does.
 */
final class JdbcDeadLetterStore implements DeadLetterStore {

    private static final String TABLE = RetryStore.DEAD_LETTERS;

    /** The number of rows that one statement deletes at most. */
    private static final int BATCH = 1000;

    /** The time limit of each statement. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final String NOT_HELD = "(status <> 'RETRYING' or held_until < :now)";

    private final RetryStore store;

    private final Clock clock;

    /** Locks the row that is read, where the database can do that. SQLite has one writer at a time anyway. */
    private final String forUpdate;

    /** A duplicate key would end the whole transaction on PostgreSQL; SQLite's driver does not tell it from other errors. */
    private final String insert;

    private final JdbcClient jdbc;

    /**
     * Creates a store.
     *
     * @param store the database
     * @param clock the clock by which holds lapse
     */
    JdbcDeadLetterStore(RetryStore store, Clock clock) {
        this(store, clock, TIMEOUT);
    }

    JdbcDeadLetterStore(RetryStore store, Clock clock, Duration timeout) {
        this.store = store;
        this.clock = clock;
        this.forUpdate = store.database() == Database.SQLITE ? "" : " for update";
        this.insert = DeadLetterRow.INSERT
                + switch (store.database()) {
                    case POSTGRESQL, SQLITE -> " on conflict (id) do nothing";
                    case MARIADB, H2 -> "";
                };
        JdbcTemplate template = new JdbcTemplate(store.dataSource());
        template.setQueryTimeout((int) timeout.toSeconds());
        this.jdbc = JdbcClient.create(template);
    }

    /** A letter that the database refuses is kept without its large parts, unless this is part of a larger write. */
    @Override
    public void put(DeadLetter letter) {
        WriteFailures.keep(store, letter, this::write);
    }

    private boolean write(DeadLetter letter) {
        // In this order, because on MariaDB a lock on a missing row keeps others from inserting theirs.
        if (!insert(letter) && !update(letter) && !insert(letter)) {
            throw new ConcurrencyFailureException("others add and delete dead letter " + letter.id());
        }
        return true;
    }

    /** Returns {@code false} if there is a letter of this id already. Does not spoil the transaction then. */
    private boolean insert(DeadLetter letter) {
        try {
            return jdbc.sql(insert).params(DeadLetterRow.of(letter)).update() == 1;
        } catch (DuplicateKeyException ex) {
            return false;
        }
    }

    /** Returns {@code false} if the letter of this id has been deleted. */
    private boolean update(DeadLetter letter) {
        DeadLetter kept = read(letter.id(), forUpdate).orElse(null);
        if (kept == null) {
            return false;
        }
        jdbc.sql(DeadLetterRow.UPDATE)
                .params(DeadLetterRow.of(kept.died(letter)))
                .update();
        return true;
    }

    @Override
    public Optional<DeadLetter> find(String id) {
        return read(id, "");
    }

    private Optional<DeadLetter> read(String id, String suffix) {
        return jdbc.sql("select " + DeadLetterRow.COLUMNS + " from " + TABLE + " where id = :id" + suffix)
                .param("id", id)
                .query((row, number) -> DeadLetterRow.read(row, now()))
                .optional();
    }

    @Override
    public Page list(DeadLetterFilter filter, @Nullable String cursor, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit is '" + limit + "', but must be at least 1");
        }
        DeadLetterQuery query = new DeadLetterQuery(filter, now());
        if (cursor != null) {
            query.after(cursor);
        }
        List<DeadLetterSummary> found = new ArrayList<>(jdbc.sql("select " + DeadLetterRow.SUMMARY + " from " + TABLE
                        + query.where() + " order by died_at desc, id desc limit :limit")
                .params(query.params())
                .param("limit", limit + 1L)
                .query((row, number) -> DeadLetterRow.summary(row, now()))
                .list());
        if (found.size() <= limit) {
            return new Page(found, null);
        }
        found.remove(limit);
        return new Page(found, DeadLetterQuery.cursor(found.get(limit - 1)));
    }

    @Override
    public long count(DeadLetterFilter filter) {
        DeadLetterQuery query = new DeadLetterQuery(filter, now());
        return jdbc.sql("select count(*) from " + TABLE + query.where())
                .params(query.params())
                .query(Long.class)
                .single();
    }

    @Override
    public List<Group> groups(DeadLetterFilter filter, int limit) {
        DeadLetterQuery query = new DeadLetterQuery(filter, now());
        return jdbc.sql(
                        "select name, error_type, count(*) as letters, min(died_at) as oldest, max(died_at) as newest from "
                                + TABLE + query.where()
                                + " group by name, error_type order by letters desc, newest desc limit :limit")
                .params(query.params())
                .param("limit", limit)
                .query((row, number) -> new Group(
                        row.getString("name"),
                        row.getString("error_type"),
                        row.getLong("letters"),
                        Instant.ofEpochMilli(row.getLong("oldest")),
                        Instant.ofEpochMilli(row.getLong("newest"))))
                .list();
    }

    @Override
    public List<Total> totals() {
        return jdbc.sql("select standing, count(*) as letters, min(died_at) as oldest from (select died_at,"
                        + " case when status in ('RESOLVED', 'DISCARDED') then status when status = 'RETRYING'"
                        + " and (held_until is null or held_until >= :now) then status else 'DEAD' end as standing"
                        + " from " + TABLE + ") standings group by standing")
                .param("now", now())
                .query((row, number) -> new Total(
                        DeadLetterRow.status(row.getString("standing")),
                        row.getLong("letters"),
                        Instant.ofEpochMilli(row.getLong("oldest"))))
                .list();
    }

    @Override
    public boolean move(String id, DeadLetter.Action action, @Nullable Instant until) {
        return store.write(() -> {
            Held before = held(id);
            if (before == null || !before.admits(action.what(), now())) {
                return false;
            }
            DeadLetter letter = read(id, "").orElse(null);
            if (letter == null) {
                return false;
            }
            boolean isHeld = until != null && action.what() == DeadLetterStatus.RETRYING;
            return jdbc.sql("update " + TABLE + " set status = :next, actions = :actions, held_until = :until"
                                    + " where id = :id and status = :status and coalesce(held_until, 0) = :held")
                            .param("next", action.what().name())
                            .param("actions", DeadLetterRow.actions(letter.after(action)))
                            .param(
                                    "until",
                                    isHeld ? Objects.requireNonNull(until).toEpochMilli() : null)
                            .param("id", id)
                            .param("status", before.status().name())
                            .param("held", before.until())
                            .update()
                    == 1;
        });
    }

    /** The status in a row, before a lapsed hold is taken into account. */
    private record Held(DeadLetterStatus status, long until) {

        /** A call may end after its hold has lapsed. */
        boolean admits(DeadLetterStatus next, long now) {
            boolean isLapsed = status == DeadLetterStatus.RETRYING && until > 0 && until < now;
            return status.admits(next) || (isLapsed && DeadLetterStatus.DEAD.admits(next));
        }
    }

    private @Nullable Held held(String id) {
        return jdbc.sql("select status, coalesce(held_until, 0) as held from " + TABLE + " where id = :id" + forUpdate)
                .param("id", id)
                .query((row, number) -> new Held(DeadLetterRow.status(row.getString("status")), row.getLong("held")))
                .optional()
                .orElse(null);
    }

    @Override
    public boolean extend(String id, Instant until) {
        return store.write(
                () -> jdbc.sql("update " + TABLE + " set held_until = :until where id = :id and status = 'RETRYING'")
                                .param("until", until.toEpochMilli())
                                .param("id", id)
                                .update()
                        == 1);
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
                    "(died_at < :at or (died_at = :at and id <= :id))", Map.of("at", place.diedAt(), "id", place.id()));
        }
        return deleted;
    }

    /** Where a dead letter stands in the list. */
    private record Place(long diedAt, String id) {}

    /** The newest dead letter that has at least the given number of newer ones; {@code null} if there is none. */
    private @Nullable Place newest(long newer) {
        return jdbc.sql("select died_at, id from " + TABLE + " order by died_at desc, id desc limit 1 offset :newer")
                .param("newer", newer)
                .query((row, number) -> new Place(row.getLong("died_at"), row.getString("id")))
                .optional()
                .orElse(null);
    }

    /** Deletes what is not held, the oldest first. */
    private int deleteAll(String condition, Map<String, ?> params) {
        int deleted = 0;
        List<String> ids;
        do {
            ids = jdbc.sql("select id from " + TABLE + " where " + NOT_HELD + " and " + condition
                            + " order by died_at, id limit :limit")
                    .param("now", now())
                    .param("limit", BATCH)
                    .params(params)
                    .query(String.class)
                    .list();
            deleted += ids.isEmpty() ? 0 : deleteAll(ids);
        } while (ids.size() == BATCH);
        return deleted;
    }

    private int deleteAll(List<String> ids) {
        return store.write(() -> jdbc.sql("delete from " + TABLE + " where id in (:ids) and " + NOT_HELD)
                .param("ids", ids)
                .param("now", now())
                .update());
    }

    private long now() {
        return clock.millis();
    }

    @Override
    public String toString() {
        return "dead letters in " + store;
    }
}
