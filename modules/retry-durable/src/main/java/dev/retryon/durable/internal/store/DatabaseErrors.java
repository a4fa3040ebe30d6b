// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A kind of database errors after which writes are repeated, or for which messages contain advice.
 *
 * @param states SQL states
 * @param codes codes of databases whose states are not precise enough
 * @param sqlite codes of SQLite, whose driver sets no state
 */
record DatabaseErrors(Set<String> states, Set<Integer> codes, Set<Integer> sqlite) {

    /** MariaDB and MySQL waited too long. MySQL's driver reports this error with the state of a serialization failure. */
    private static final int LOCK_TIMEOUT = 1205;

    /** The database rolled the transaction back because of a conflict with another one: a deadlock or a serialization failure. */
    static final DatabaseErrors CONFLICT = new DatabaseErrors(
            Set.of("40001", "40P01"),
            // MariaDB: the record has changed since it was read; MySQL: a group of servers rejects the commit
            Set.of(1020, 3101),
            Set.of());

    static final DatabaseErrors LOCKED = new DatabaseErrors(
            Set.of(),
            Set.of(LOCK_TIMEOUT),
            // busy, locked
            Set.of(5, 6));

    /** The database accepts no writes at the moment. */
    static final DatabaseErrors CLOSED = new DatabaseErrors(
            // read-only, as a standby is after a failover; PostgreSQL: disk full
            Set.of("25006", "53100"),
            // MariaDB, MySQL: disk full, error on write, table read-only, table full, prevented by an option such as
            // read-only; MySQL: storage read-only, offline, server has left its group
            Set.of(1021, 1026, 1036, 1114, 1290, 1836, 3032, 3100),
            // no such table, read-only, I/O error, disk full, cannot open the file
            Set.of(1, 8, 10, 13, 14));

    static final DatabaseErrors DENIED = new DatabaseErrors(
            Set.of("42501"),
            // MariaDB, MySQL: access to a database, table or column denied; H2: not enough rights
            Set.of(1044, 1142, 1143, 90096),
            Set.of());

    boolean include(@Nullable Throwable error) {
        SQLException reason = sqlException(error);
        if (reason == null) {
            return false;
        }
        String state = reason.getSQLState();
        return state == null
                ? sqlite.contains(reason.getErrorCode())
                : codes.contains(reason.getErrorCode())
                        || (states.contains(state) && reason.getErrorCode() != LOCK_TIMEOUT);
    }

    /** Returns the database's error, or {@code null} if the chain of causes contains none. */
    static @Nullable SQLException sqlException(@Nullable Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException reason) {
                return reason;
            }
        }
        return null;
    }
}
