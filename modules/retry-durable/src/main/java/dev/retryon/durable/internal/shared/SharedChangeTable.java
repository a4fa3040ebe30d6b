// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.shared;

import dev.retryon.durable.internal.store.RetryStore;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Table {@value RetryStore#CHANGES}. A row is updated only if unchanged since it was read, so no change is lost. */
final class SharedChangeTable {

    /** The time, in milliseconds, after which ended changes are deleted. Until then, nodes see who reverted them. */
    private static final long KEPT = 3_600_000;

    /** The time limit of a statement in seconds, because a hung database must not end the polling. */
    private static final int TIMEOUT = 10;

    private static final String MINE = " where application = :application and ";

    private static final String READ = "select kind, name, settings, changed_at, changed_by, ends_at, version from "
            + RetryStore.CHANGES + " where application = :application";

    private static final String VALUES =
            " (application, kind, name, settings, changed_at, changed_by, ends_at, version)"
                    + " values (:application, :kind, :name, :settings, :changedAt, :changedBy, :endsAt, :version)";

    private static final String UPDATE = " set settings = :settings, changed_at = :changedAt,"
            + " changed_by = :changedBy, ends_at = :endsAt, version = :version"
            + MINE + "kind = :kind and name = :name and version = :before";

    private final RetryStore store;

    SharedChangeTable(RetryStore store) {
        this.store = store;
    }

    List<SharedChangeRow> all() {
        return sql(READ).query((row, number) -> read(row)).list();
    }

    Optional<SharedChangeRow> find(SharedChangeRow.Key key) {
        return sql(READ + " and kind = :kind and name = :name")
                .param("kind", key.kind())
                .param("name", key.name())
                .query((row, number) -> read(row))
                .optional();
    }

    private JdbcClient.StatementSpec sql(String sql) {
        return store.jdbc().sql(sql).withQueryTimeout(TIMEOUT).param("application", store.application());
    }

    private static SharedChangeRow read(ResultSet row) throws SQLException {
        long endsAt = row.getLong("ends_at");
        boolean isEndless = row.wasNull();
        return new SharedChangeRow(
                row.getString("kind"),
                row.getString("name"),
                row.getString("settings"),
                row.getLong("changed_at"),
                row.getString("changed_by"),
                isEndless ? null : endsAt,
                row.getLong("version"));
    }

    /** Replaces a row, or adds a row if the previous one is {@code null}. Returns {@code false} if another node was faster. */
    boolean replace(@Nullable SharedChangeRow before, SharedChangeRow after) {
        try {
            return store.write(() -> {
                sql("delete from " + RetryStore.CHANGES + MINE + "ends_at < :longAgo")
                        .param("longAgo", after.changedAt() - KEPT)
                        .update();
                return write(before, after) == 1;
            });
        } catch (DuplicateKeyException | ConcurrencyFailureException ex) {
            return false;
        }
    }

    private int write(@Nullable SharedChangeRow before, SharedChangeRow after) {
        JdbcClient.StatementSpec statement = before == null
                ? sql("insert into " + RetryStore.CHANGES + VALUES)
                : sql("update " + RetryStore.CHANGES + UPDATE).param("before", before.version());
        return statement
                .param("kind", after.kind())
                .param("name", after.name())
                .param("settings", after.settings())
                .param("changedAt", after.changedAt())
                .param("changedBy", after.changedBy())
                .param("endsAt", after.endsAt())
                .param("version", after.version())
                .update();
    }
}
