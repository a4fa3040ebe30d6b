// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import dev.retryon.durable.StoredCall;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.DeadLetter;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
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
 * A write that is repeated while it might succeed. If the database rejects the write, a smaller one follows. A write that is
 * too large for the server ends the connection, as an outage does, so another statement checks whether the database
 * responds.
 */
public final class RepeatedWrite {

    /** How often a write fails while the database responds, before it counts as rejected. */
    private static final int UNCLEAR = 3;

    private static final int PROBE_SECONDS = 5;

    /** {@code null} if calls are in memory. */
    private final @Nullable RetryStore store;

    private final Pauses pauses;

    private final Set<Reason> seen = EnumSet.noneOf(Reason.class);

    private int unclear;

    private @Nullable Reason latest;

    public enum Reason {

        /** The database does not respond, rejects writes, or lacks the table or a right. The same write can succeed later. */
        OUTAGE,

        /** Another transaction caused a conflict: a deadlock, a lock, or a serialization failure. */
        CONFLICT,

        /** The connection failed, but the database responds. The same write might succeed immediately. */
        UNCLEAR,

        REFUSED,

        /** Not an error of the database. */
        UNKNOWN
    }

    /** Decides when a failed write is repeated. */
    @FunctionalInterface
    public interface Pauses {

        /**
         * Returns the pause before the same write is repeated, or {@code null} to end. {@code isFirst} states whether the
         * failure is the first one for the given reason.
         */
        @Nullable Duration after(Reason reason, RuntimeException error, boolean isFirst);
    }

    public RepeatedWrite(CallEngine.Transactions transactions, Pauses pauses) {
        this.store = transactions instanceof RetryStore database ? database : null;
        this.pauses = pauses;
    }

    /**
     * Runs a write. Must be called outside a transaction of the store, unless a larger write handles its failures.
     *
     * @param smaller a reduced write, which is tried after the database has rejected the whole write, and receives its error
     * @throws RuntimeException the error of the last write
     */
    public <T extends @Nullable Object> T run(Supplier<T> whole, @Nullable Function<RuntimeException, T> smaller) {
        try {
            return repeat(whole, this::pauseAfter);
        } catch (RuntimeException ex) {
            if (smaller == null || latest != Reason.REFUSED) {
                throw ex;
            }
            return repeat(() -> smaller.apply(ex), this::pauseAfter);
        }
    }

    private @Nullable Duration pauseAfter(RuntimeException error, int failures) {
        Reason reason = reason(error);
        latest = reason;
        return pauses.after(reason, error, seen.add(reason));
    }

    /**
     * Writes until the write succeeds, or the pause after a failure is {@code null}. This is not a {@code Retry}, which
     * would add its history to each error that callers receive.
     */
    static <T extends @Nullable Object> T repeat(
            Supplier<T> write, BiFunction<RuntimeException, Integer, @Nullable Duration> pauseAfter) {
        for (int failures = 1; ; failures++) {
            try {
                return write.get();
            } catch (RuntimeException ex) {
                Duration pause = pauseAfter.apply(ex, failures);
                if (pause == null || !sleep(pause)) {
                    throw ex;
                }
            }
        }
    }

    /** Waits before the next write. Returns {@code false} if the thread is interrupted. */
    private static boolean sleep(Duration time) {
        try {
            Thread.sleep(time.toMillis());
            return true;
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Returns whether a failed write might have succeeded, because its confirmation was lost. */
    public boolean isDoubtful() {
        return seen.contains(Reason.OUTAGE) || seen.contains(Reason.UNCLEAR);
    }

    private Reason reason(RuntimeException error) {
        if (store == null || !(error instanceof DataAccessException || error instanceof TransactionException)) {
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
        if (error instanceof ConcurrencyFailureException
                || DatabaseErrors.CONFLICT.include(error)
                || DatabaseErrors.LOCKED.include(error)) {
            return Reason.CONFLICT;
        }
        if (DatabaseErrors.CLOSED.include(error) || DatabaseErrors.DENIED.include(error)) {
            return Reason.OUTAGE;
        }
        if (error instanceof TransientDataAccessException
                || error instanceof RecoverableDataAccessException
                || error instanceof DataAccessResourceFailureException
                || error instanceof TransactionException) {
            return !responds(store) ? Reason.OUTAGE : ++unclear < UNCLEAR ? Reason.UNCLEAR : Reason.REFUSED;
        }
        return Reason.REFUSED;
    }

    private static boolean responds(RetryStore store) {
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
     * Writes a dead letter in its own transaction. If the database rejects the letter, writes it
     * {@linkplain #reduced reduced}, unless this write is part of a larger one.
     *
     * @throws RuntimeException if the database does not respond, or also rejects the reduced letter
     */
    public static <T> T writeLetter(
            CallEngine.Transactions transactions, DeadLetter letter, Function<DeadLetter, T> write) {
        return new RepeatedWrite(
                        transactions, (reason, error, isFirst) -> reason == Reason.UNCLEAR ? Duration.ZERO : null)
                .run(
                        () -> transactions.write(() -> write.apply(letter)),
                        refusal -> transactions.write(() -> write.apply(reduced(letter, refusal))));
    }

    /**
     * Returns a dead letter without the parts that might be the reason for the database's rejection. An action records this
     * change, without the error message, which can contain values.
     */
    public static DeadLetter reduced(DeadLetter letter, RuntimeException error) {
        SQLException reason = DatabaseErrors.sqlException(error);
        String why = reason == null
                ? error.getClass().getName()
                : reason.getClass().getSimpleName() + ", SQL state " + reason.getSQLState() + ", code "
                        + reason.getErrorCode();
        return letter.reduced(new StoredCall.Action(
                Instant.now().truncatedTo(ChronoUnit.MILLIS),
                null,
                StoredCall.Action.What.DIED,
                "stored without arguments, stack trace and earlier failures, because the store rejected them: " + why));
    }
}
