// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Selects the transaction and the connection of each write:
 *
 * <table>
 * <caption>By the transaction of the thread</caption>
 * <tr><th>transaction</th><th>{@link #joinSingle}</th><th>{@link #writeSingle(Runnable)}</th><th>{@link #write}</th></tr>
 * <tr><td>none</td><td>a new one of the application's pool</td><td>the same</td><td>a new one of the own pool</td></tr>
 * <tr><td>of the store's database</td><td>that one</td><td colspan="2">a new one of the own pool; that one on SQLite</td></tr>
 * <tr><td>one that has ended</td><td colspan="3">a new one of the own pool</td></tr>
 * <tr><td>another one</td><td>rejected, or a new one of the own pool</td><td colspan="2">a new one of the own pool</td></tr>
 * </table>
 *
 * <p>On SQLite, the connection of a transaction that has ended is used again. If the store has no own pool, it uses
 * the application's pool. A JTA transaction is suspended meanwhile, because a connection can take part in it by itself.
 */
final class StoreTransactions {

    private static final Log logger = LogFactory.getLog(StoreTransactions.class);

    private static final int ATTEMPTS = 10;

    private static final long LONGEST_PAUSE_MILLIS = 100;

    /** Changes nothing, and takes SQLite's write lock. */
    private static final String LOCK = "update " + RetryStore.CALLS + " set state = state where 1 = 0";

    private final Ways ways;

    private final TimeLimit limit;

    /** Statements in callers' transactions, and statements outside transactions. */
    private final Statements callers;

    /** Statements in the store's transactions, which are new because no other code looks for their connections. */
    private final Statements own;

    private final TransactionTemplate begun;

    /** Ties a connection to the thread, without a transaction. */
    private final TransactionTemplate tied;

    /** Informs Spring of a JTA transaction that Spring did not begin; {@code null} without JTA. */
    private final @Nullable TransactionTemplate known;

    /** Suspends a JTA transaction; {@code null} without JTA. */
    private final @Nullable TransactionTemplate suspended;

    /**
     * How transactions are found.
     *
     * @param own the store's own pool; {@code null} for the application's
     * @param hasOneWriter whether other connections cannot write after the caller's transaction has written
     * @param secondConnection runs before a write uses a connection although the caller already has one
     * @param repeats receives each conflict after which a write is repeated
     */
    record Ways(
            @Nullable DataSource own,
            CallerTransaction caller,
            @Nullable PlatformTransactionManager jta,
            boolean hasOneWriter,
            Runnable secondConnection,
            Consumer<RuntimeException> repeats) {}

    /** Runs statements with connections from a source, or with that of the thread's transaction if one is active. */
    record Statements(DataSource source, JdbcTemplate template, JdbcClient client) {

        private static Statements of(DataSource source, TimeLimit limit) {
            JdbcTemplate template = new JdbcTemplate(source);
            template.setQueryTimeout(limit.statementSeconds());
            return new Statements(source, template, JdbcClient.create(template));
        }

        private boolean areTied() {
            return TransactionSynchronizationManager.hasResource(source);
        }

        /** Returns whether the connection commits each statement. */
        private boolean areCommitted() {
            return Boolean.TRUE.equals(template.execute((ConnectionCallback<Boolean>) Connection::getAutoCommit));
        }
    }

    StoreTransactions(DataSource dataSource, Ways ways, TimeLimit limit) {
        this.ways = ways;
        this.limit = limit;
        this.callers = Statements.of(dataSource, limit);
        this.own = Statements.of(ways.own() != null ? ways.own() : new DelegatingDataSource(dataSource), limit);
        JdbcTransactionManager manager = new JdbcTransactionManager(own.source());
        // Otherwise the return to automatic commits would store what the caller gets an error for.
        manager.setRollbackOnCommitFailure(true);
        this.begun = new TransactionTemplate(manager);
        this.tied = template(new JdbcTransactionManager(dataSource), TransactionDefinition.PROPAGATION_SUPPORTS);
        this.known = ways.jta() == null ? null : template(ways.jta(), TransactionDefinition.PROPAGATION_SUPPORTS);
        this.suspended =
                ways.jta() == null ? null : template(ways.jta(), TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
    }

    private static TransactionTemplate template(PlatformTransactionManager manager, int propagation) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(propagation);
        return template;
    }

    Statements statements() {
        return isWithin() ? own : callers;
    }

    /** Returns the longest time of a statement in seconds, or -1 for any time. */
    int statementSeconds() {
        return limit.statementSeconds();
    }

    /** Returns whether the thread is in a transaction of the store. */
    boolean isWithin() {
        return own.areTied();
    }

    /** Returns whether a write of the thread's transaction blocks all others. */
    boolean holdsOthersUp() {
        return ways.hasOneWriter()
                && TransactionSynchronizationManager.isSynchronizationActive()
                && ways.caller().state() == CallerTransaction.State.OF_STORE;
    }

    /** Writes all or nothing, in a new transaction if possible. Nested writes are part of the outer write. */
    <T extends @Nullable Object> T write(Supplier<T> work) {
        if (isWithin()) {
            return work.get();
        }
        // On SQLite, a new transaction would wait for the caller's transaction, which has at least read the file.
        CallerTransaction.State state = ways.hasOneWriter() ? ways.caller().state() : CallerTransaction.State.NONE;
        if (state == CallerTransaction.State.OF_STORE) {
            return whole(work);
        }
        if (state == CallerTransaction.State.ENDED && callers.areTied() && !callers.areCommitted()) {
            return committed(work);
        }
        return repeated(() -> newTransaction(work));
    }

    /**
     * Writes like {@link #write} with a connection of the own pool, and does nothing without this pool. If each caller
     * needed a second connection of the same pool, all would wait for each other.
     */
    void writeBeside(Runnable work) {
        if (ways.own() instanceof OwnPool pool && pool.isInUse()) {
            this.<@Nullable Void>write(() -> none(work));
        }
    }

    private static @Nullable Void none(Runnable work) {
        work.run();
        return null;
    }

    void rolledBack(Runnable writes) {
        StoreTransactions.<@Nullable Void>run(begun, status -> {
            status.setRollbackOnly();
            return none(writes);
        });
    }

    /** Writes a single statement in a separate transaction, except on SQLite. */
    void writeSingle(Runnable statement) {
        if (isWithin()) {
            statement.run();
        } else {
            inKnownTransaction(() -> writeSingle(statement, ways.caller().state()));
        }
    }

    private void writeSingle(Runnable statement, CallerTransaction.State state) {
        Supplier<@Nullable Void> work = () -> none(statement);
        if (state == CallerTransaction.State.NONE) {
            this.<@Nullable Void>repeated(() -> run(tied, status -> committed(work)));
        } else if (state == CallerTransaction.State.ENDED && ways.hasOneWriter() && callers.areTied()) {
            committed(work);
        } else {
            this.<@Nullable Void>write(work);
        }
    }

    /** Repeats a whole transaction that the database rolled back because of a conflict with another one. */
    private <T extends @Nullable Object> T repeated(Supplier<T> write) {
        return RepeatedWrite.repeat(write, (error, failures) -> {
            if (failures == ATTEMPTS || !DatabaseErrors.CONFLICT.include(error)) {
                return null;
            }
            ways.repeats().accept(error);
            // At random, to prevent the same transactions from meeting again.
            return Duration.ofMillis(
                    ThreadLocalRandom.current().nextLong(1, Math.min(LONGEST_PAUSE_MILLIS, 2L << failures)));
        });
    }

    /** Runs a statement in the caller's transaction, which may belong to another database if {@code apartFromOthers} is set. */
    void joinSingle(Runnable statement, boolean apartFromOthers, String store) {
        join(statement, apartFromOthers, store, state -> writeSingle(statement, state));
    }

    /** Writes like {@link #joinSingle}, but runs several statements, in a new transaction if none is active. */
    void join(Runnable statements, boolean apartFromOthers, String store) {
        join(statements, apartFromOthers, store, state -> this.<@Nullable Void>write(() -> none(statements)));
    }

    private void join(
            Runnable statement, boolean apartFromOthers, String store, Consumer<CallerTransaction.State> otherwise) {
        if (isWithin()) {
            statement.run();
            return;
        }
        inKnownTransaction(() -> {
            CallerTransaction.State state = ways.caller().state();
            if (state == CallerTransaction.State.OF_STORE) {
                this.<@Nullable Void>limited(connection -> none(statement));
            } else if (state == CallerTransaction.State.OF_OTHERS && !apartFromOthers) {
                throw new IllegalTransactionStateException(
                        "the call is not stored, because its caller's transaction is not in the database that"
                                + " stores calls ("
                                + store
                                + "): the call would run even if that transaction is rolled back. Call the"
                                + " method in a transaction of that database; if the application has several, mark its"
                                + " PlatformTransactionManager with @RetryDataSource. Or set"
                                + " retryon.durable.outbox-apart=true if your application tolerates that");
            } else {
                otherwise.accept(state);
            }
        });
    }

    private void inKnownTransaction(Runnable work) {
        if (known == null || TransactionSynchronizationManager.isSynchronizationActive()) {
            work.run();
        } else {
            known.executeWithoutResult(status -> work.run());
        }
    }

    private <T extends @Nullable Object> T newTransaction(Supplier<T> work) {
        boolean wasActive = TransactionSynchronizationManager.isActualTransactionActive();
        if (callers.areTied()) {
            ways.secondConnection().run();
        }
        Function<TransactionStatus, T> limited = status -> {
            limitTransaction();
            if (ways.hasOneWriter()) {
                // A transaction that reads first does not wait for another writer: its first write fails immediately.
                own.template().update(LOCK);
            }
            return work.get();
        };
        try {
            return suspended == null ? run(begun, limited) : run(suspended, status -> run(begun, limited));
        } finally {
            // After the end of the caller's transaction, Spring has no transaction to resume.
            TransactionSynchronizationManager.setActualTransactionActive(wasActive);
        }
    }

    /** Limits the time of the thread's transaction, including its commit. */
    private void limitTransaction() {
        Connection connection = DataSourceUtils.getConnection(own.source());
        Runnable unlimited = limit.limit(connection);
        DataSourceUtils.releaseConnection(connection, own.source());
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                unlimited.run();
            }
        });
    }

    /** Works with the connection that is tied to the thread. */
    private <T extends @Nullable Object> T limited(Function<Connection, T> work) {
        Connection connection = DataSourceUtils.getConnection(callers.source());
        Runnable unlimited = limit.limit(connection);
        try {
            return work.apply(connection);
        } finally {
            unlimited.run();
            DataSourceUtils.releaseConnection(connection, callers.source());
        }
    }

    /** Writes with the connection that is tied to the thread, and commits it if the connection does not. */
    private <T extends @Nullable Object> T committed(Supplier<T> work) {
        return limited(connection -> {
            boolean isStored = false;
            try {
                T result = work.get();
                if (!connection.getAutoCommit()) {
                    connection.commit();
                }
                isStored = true;
                return result;
            } catch (SQLException ex) {
                throw refusal(ex);
            } finally {
                if (!isStored) {
                    rollBack(connection);
                }
            }
        });
    }

    /** Writes in the caller's transaction, which can continue if the write fails. */
    private <T extends @Nullable Object> T whole(Supplier<T> work) {
        return limited(connection -> {
            try {
                Savepoint before = connection.setSavepoint();
                boolean isStored = false;
                try {
                    T result = work.get();
                    isStored = true;
                    return result;
                } finally {
                    if (!isStored) {
                        connection.rollback(before);
                    }
                    connection.releaseSavepoint(before);
                }
            } catch (SQLException ex) {
                throw refusal(ex);
            }
        });
    }

    private DataAccessException refusal(SQLException ex) {
        DataAccessException translated =
                callers.template().getExceptionTranslator().translate("commit", null, ex);
        return translated != null
                ? translated
                : new DataAccessResourceFailureException("the stored data cannot be committed", ex);
    }

    /** Rolls back before the return to automatic commits, which would store data although the caller gets an error. */
    private static void rollBack(Connection connection) {
        try {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        } catch (SQLException ex) {
            logger.debug("A transaction that could not be committed cannot be rolled back either", ex);
        }
    }

    @SuppressWarnings("NullAway") // null only where T admits it
    private static <T extends @Nullable Object> T run(
            TransactionTemplate transaction, Function<TransactionStatus, T> work) {
        try {
            return transaction.execute(work::apply);
        } catch (TransactionSystemException ex) {
            // If the disk is full, SQLite rolls back by itself. The rollback then fails, and would hide the reason.
            if (ex.getApplicationException() instanceof RuntimeException reason) {
                reason.addSuppressed(ex);
                throw reason;
            }
            throw ex;
        }
    }
}
