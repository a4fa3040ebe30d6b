/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import java.sql.SQLException;
import java.util.Set;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.transaction.TransactionException;

/** Errors of a database that may take the same write later; an error in what is written stays one. */
final class Outage {

    /** The database is read-only, as a standby is after a failover. */
    private static final String READ_ONLY_STATE = "25006";

    /** What MariaDB has for all that has no state of its own. */
    private static final String GENERAL_STATE = "HY000";

    /**
     * MariaDB: disk full, error on write, table read-only, table full, lock wait timeout, and statements that an option such as
     * read-only prevents.
     */
    private static final Set<Integer> MARIADB = Set.of(1021, 1026, 1036, 1114, 1205, 1290);

    /** Error codes of SQLite, whose driver sets no SQL state: busy, locked, read-only, I/O error, disk full, can't open the file. */
    private static final Set<Integer> SQLITE = Set.of(5, 6, 8, 10, 13, 14);

    private Outage() {}

    static boolean isOutage(RuntimeException error) {
        return error instanceof TransientDataAccessException
                || error instanceof RecoverableDataAccessException
                || error instanceof DataAccessResourceFailureException
                || error instanceof TransactionException
                || (error instanceof DataAccessException
                        && error.getCause() instanceof SQLException reason
                        && isOutage(reason));
    }

    private static boolean isOutage(SQLException error) {
        String state = error.getSQLState();
        if (state == null) {
            return SQLITE.contains(error.getErrorCode());
        }
        return state.equals(READ_ONLY_STATE) || (state.equals(GENERAL_STATE) && MARIADB.contains(error.getErrorCode()));
    }
}
