/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.transaction.TransactionException;

/** Errors of a database that may take the same write later; an error in what is written stays one. */
final class Outage {

    /** The database is read-only, as a standby is after a failover. */
    private static final String READ_ONLY_STATE = "25006";

    /** SQLite, which knows no states: busy, locked, read-only, I/O error, disk full, can't open the file. */
    private static final Set<Integer> SQLITE = Set.of(5, 6, 8, 10, 13, 14);

    private Outage() {}

    static boolean isOutage(RuntimeException error) {
        return error instanceof TransientDataAccessException
                || error instanceof RecoverableDataAccessException
                || error instanceof DataAccessResourceFailureException
                || error instanceof TransactionException
                || (error instanceof UncategorizedSQLException uncategorized
                        && isOutage(uncategorized.getSQLException()));
    }

    private static boolean isOutage(@Nullable SQLException error) {
        if (error == null) {
            return false;
        }
        String state = error.getSQLState();
        return state == null ? SQLITE.contains(error.getErrorCode()) : state.equals(READ_ONLY_STATE);
    }
}
