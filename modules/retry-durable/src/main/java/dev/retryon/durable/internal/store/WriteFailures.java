// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.durable.CallEngine;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.PermissionDeniedDataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionException;

/**
 * Decides whether the database is away or refuses a write, from the failures of the write. A write that is too large for the
 * server ends its connection, as an outage does, so another statement checks whether the database responds.
 */
public final class WriteFailures {

    /** How often a write fails, while the database answers, before it counts as refused. */
    private static final int UNCLEAR = 3;

    private static final int PROBE_SECONDS = 5;

    /** The database is read-only, as a standby is after a failover. */
    private static final String READ_ONLY_STATE = "25006";

    /** The state that MariaDB uses for errors without a state of their own. */
    private static final String GENERAL_STATE = "HY000";

    /** MariaDB: the transaction waited too long for a lock. */
    private static final int MARIADB_LOCKED = 1205;

    /**
     * MariaDB: disk full, error on write, table read-only, table full, and statements that an option such as read-only
     * prevents.
     */
    private static final Set<Integer> MARIADB = Set.of(1021, 1026, 1036, 1114, 1290);

    /** Error codes of SQLite, whose driver sets no SQL state: busy, locked. */
    private static final Set<Integer> SQLITE_LOCKED = Set.of(5, 6);

    /** SQLite: no such table, read-only, I/O error, disk full, can't open the file. */
    private static final Set<Integer> SQLITE = Set.of(1, 8, 10, 13, 14);

    /** {@code null} if the application has its own engine. */
    private final @Nullable RetryStore store;

    private final Set<Reason> seen = EnumSet.noneOf(Reason.class);

    private int unclear;

    /** Why a write has failed. */
    public enum Reason {

        /** The database does not respond, rejects writes, or lacks the table or a right. The same write can succeed later. */
        OUTAGE,

        /** Another transaction was in the way: a deadlock, a lock, or a serialization failure. */
        CONFLICT,

        /** The connection failed, but the database answers. The same write may succeed at once. */
        UNCLEAR,

        /** The database refuses the data. */
        REFUSED,

        /** It is not an error of the database: a store or an engine of the application's own has failed, for example. */
        UNKNOWN
    }

    public WriteFailures(CallEngine.Transactions transactions) {
        this.store = transactions instanceof RetryStore database ? database : null;
    }

    /** Returns {@code true} the first time that a reason is asked about. */
    public boolean isFirst(Reason reason) {
        return seen.add(reason);
    }

    /** Finds out why the write has failed. Must be called outside the transaction of the write. */
    public Reason add(RuntimeException error) {
        if (store == null) {
            return Reason.UNKNOWN;
        }
        if (store.isWriting()) {
            return Reason.OUTAGE; // part of a larger write
        }
        if (error instanceof CannotCreateTransactionException
                || error instanceof CannotGetJdbcConnectionException
                || error instanceof QueryTimeoutException
                // A missing table or right affects every write.
                || error instanceof BadSqlGrammarException
                || error instanceof PermissionDeniedDataAccessException) {
            return Reason.OUTAGE;
        }
        SQLException reason = sqlException(error);
        if (error instanceof ConcurrencyFailureException || (reason != null && isLock(reason))) {
            return Reason.CONFLICT;
        }
        if (reason != null && isOutage(reason)) {
            return Reason.OUTAGE;
        }
        if (error instanceof TransientDataAccessException
                || error instanceof RecoverableDataAccessException
                || error instanceof DataAccessResourceFailureException
                || error instanceof TransactionException) {
            return !answers(store) ? Reason.OUTAGE : ++unclear < UNCLEAR ? Reason.UNCLEAR : Reason.REFUSED;
        }
        return error instanceof DataAccessException ? Reason.REFUSED : Reason.UNKNOWN;
    }

    private static @Nullable SQLException sqlException(RuntimeException error) {
        return error instanceof DataAccessException && error.getCause() instanceof SQLException reason ? reason : null;
    }

    private static boolean isLock(SQLException error) {
        String state = error.getSQLState();
        return state == null
                ? SQLITE_LOCKED.contains(error.getErrorCode())
                : state.equals(GENERAL_STATE) && error.getErrorCode() == MARIADB_LOCKED;
    }

    private static boolean isOutage(SQLException error) {
        String state = error.getSQLState();
        if (state == null) {
            return SQLITE.contains(error.getErrorCode());
        }
        return state.equals(READ_ONLY_STATE) || (state.equals(GENERAL_STATE) && MARIADB.contains(error.getErrorCode()));
    }

    private static boolean answers(RetryStore store) {
        JdbcTemplate probe = new JdbcTemplate(store.dataSource());
        probe.setQueryTimeout(PROBE_SECONDS);
        try {
            probe.execute("select 1");
            return true;
        } catch (DataAccessException ex) {
            return false;
        }
    }

    /**
     * Writes a dead letter in a transaction of its own. If the database refuses it, writes it {@linkplain #reduced reduced},
     * unless this is part of a larger write.
     *
     * @throws RuntimeException if the database does not answer, or refuses the reduced letter too
     */
    public static <T> T keep(CallEngine.Transactions transactions, DeadLetter letter, Function<DeadLetter, T> write) {
        WriteFailures failures = new WriteFailures(transactions);
        while (true) {
            try {
                return transactions.write(() -> write.apply(letter));
            } catch (RuntimeException ex) {
                Reason reason = failures.add(ex);
                if (reason == Reason.REFUSED) {
                    return transactions.write(() -> write.apply(reduced(letter, ex)));
                }
                if (reason != Reason.UNCLEAR) {
                    throw ex;
                }
            }
        }
    }

    /**
     * A dead letter without the parts that may be the reason why the database refuses it. An action says so, without the
     * message of the error, which may show values.
     */
    public static DeadLetter reduced(DeadLetter letter, RuntimeException error) {
        SQLException reason = sqlException(error);
        String why = reason == null
                ? error.getClass().getName()
                : reason.getClass().getSimpleName() + ", SQL state " + reason.getSQLState() + ", code "
                        + reason.getErrorCode();
        return letter.reduced(new DeadLetter.Action(
                Instant.now().truncatedTo(ChronoUnit.MILLIS),
                null,
                DeadLetterStatus.DEAD,
                "stored without arguments, stack trace and earlier failures, because the store refused them: " + why));
    }
}
