// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Selects the transaction and the connection of each write:
 *
 * <table>
 * <caption>By the transaction of the thread</caption>
 * <tr><th>transaction</th><th>{@link #joined}</th><th>{@link #apart(Runnable)}</th><th>{@link #apart(Supplier)}</th></tr>
 * <tr><td>none</td><td>a new one of the application's pool</td><td>the same</td><td>a new one of the own pool</td></tr>
 * <tr><td>of the store's database</td><td>that one</td><td>a new one of the own pool; that one on SQLite</td><td>a new one
 * of the own pool</td></tr>
 * <tr><td>one that has ended</td><td colspan="3">a new one of the own pool</td></tr>
 * <tr><td>another one</td><td>refused, or a new one of the own pool</td><td colspan="2">a new one of the own pool</td></tr>
 * </table>
 *
 * <p>On SQLite, the connection of a transaction that has ended is used again. Without a pool of our own, the application's
 * pool takes its place. A JTA transaction is suspended meanwhile, because a connection may take part in it by itself.
 */
final class StoreTransactions {

    private static final Log logger = LogFactory.getLog(StoreTransactions.class);

    private static final int ATTEMPTS = 10;

    private static final long LONGEST_PAUSE_MILLIS = 100;

    /** Serialization failure, which is the deadlock of MariaDB too; deadlock. */
    private static final Set<String> CONFLICTS = Set.of("40001", "40P01");

    /** MariaDB: the record has changed since it was read. */
    private static final int RECORD_CHANGED = 1020;

    private final DataSource dataSource;

    private final Ways ways;

    private final TimeLimit limit;

    /** Lets Spring know a JTA transaction that it did not begin; {@code null} without JTA. */
    private final @Nullable TransactionTemplate known;

    /** Suspends a JTA transaction; {@code null} without JTA. */
    private final @Nullable TransactionTemplate suspended;

    /** Finds transactions by the application's pool. */
    private final TransactionTemplate alone;

    /** Finds transactions by a pool that no other code uses, so that each is a new one. */
    private final TransactionTemplate apart;

    private final DataSource apartKey;

    /**
     * How transactions are found.
     *
     * @param own the pool of our own; {@code null} for the application's
     * @param hasOneWriter whether other connections can't write while the transaction of the caller has written
     * @param secondConnection runs before a write takes a connection although the caller holds one
     * @param repeats receives each conflict after which a write is repeated
     */
    record Ways(
            @Nullable DataSource own,
            CallerTransaction caller,
            @Nullable PlatformTransactionManager jta,
            boolean hasOneWriter,
            Runnable secondConnection,
            Consumer<RuntimeException> repeats) {}

    StoreTransactions(DataSource dataSource, Ways ways, TimeLimit limit) {
        this.dataSource = dataSource;
        this.ways = ways;
        this.limit = limit;
        this.apartKey = ways.own() != null ? ways.own() : new DelegatingDataSource(dataSource);
        this.alone = begin(dataSource);
        this.apart = begin(apartKey);
        this.known = template(ways.jta(), TransactionDefinition.PROPAGATION_SUPPORTS);
        this.suspended = template(ways.jta(), TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
    }

    private static TransactionTemplate begin(DataSource dataSource) {
        JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
        // Otherwise the return to automatic commits would store what the caller gets an error for.
        manager.setRollbackOnCommitFailure(true);
        return new TransactionTemplate(manager);
    }

    private static @Nullable TransactionTemplate template(
            @Nullable PlatformTransactionManager manager, int propagation) {
        if (manager == null) {
            return null;
        }
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(propagation);
        return template;
    }

    /** Whether a write of the thread's transaction keeps all others waiting. */
    boolean holdsOthersUp() {
        return ways.hasOneWriter()
                && TransactionSynchronizationManager.isSynchronizationActive()
                && ways.caller().state() == CallerTransaction.State.OF_STORE;
    }

    /** Writes in a new transaction. Writes within a write are part of it. */
    <T extends @Nullable Object> T apart(Supplier<T> work) {
        return isWithin() ? work.get() : repeated(() -> newTransaction(work));
    }

    void apart(Runnable statement) {
        if (isWithin()) {
            statement.run();
        } else {
            inKnownTransaction(() -> apart(statement, ways.caller().state()));
        }
    }

    private void apart(Runnable statement, CallerTransaction.State state) {
        if (state == CallerTransaction.State.NONE) {
            this.<@Nullable Void>repeated(() -> alone(statement));
        } else if (state == CallerTransaction.State.OF_STORE && ways.hasOneWriter()) {
            onBoundConnection(statement);
        } else if (state == CallerTransaction.State.ENDED
                && ways.hasOneWriter()
                && TransactionSynchronizationManager.hasResource(dataSource)) {
            onFreeConnection(statement);
        } else {
            this.<@Nullable Void>repeated(() -> newTransaction(() -> {
                statement.run();
                return null;
            }));
        }
    }

    /** Runs a statement in the transaction of the caller; {@code apartFromOthers} if that may be one of another database. */
    void joined(Runnable statement, boolean apartFromOthers, String store) {
        inKnownTransaction(() -> {
            CallerTransaction.State state = ways.caller().state();
            if (state == CallerTransaction.State.OF_STORE) {
                onBoundConnection(statement);
            } else if (state == CallerTransaction.State.OF_OTHERS && !apartFromOthers) {
                throw new IllegalTransactionStateException(
                        "the call is not stored, because the transaction of its caller is not in the database that"
                                + " stores calls ("
                                + store
                                + "): the call would run even if that transaction is rolled back. Call the"
                                + " method in a transaction of that database; if the application has several, mark its"
                                + " PlatformTransactionManager with @RetryDataSource. Or set"
                                + " retryon.durable.outbox-apart=true if your application tolerates that");
            } else {
                apart(statement, state);
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

    /** Repeats a whole transaction that the database rolled back because of a conflict with another one. */
    private <T extends @Nullable Object> T repeated(Supplier<T> write) {
        for (int attempt = 1; ; attempt++) {
            try {
                return write.get();
            } catch (RuntimeException ex) {
                if (attempt == ATTEMPTS || !isConflict(ex) || !pause(attempt)) {
                    throw ex;
                }
                ways.repeats().accept(ex);
            }
        }
    }

    private static boolean isConflict(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException refusal) {
                return CONFLICTS.contains(String.valueOf(refusal.getSQLState()))
                        || refusal.getErrorCode() == RECORD_CHANGED;
            }
        }
        return false;
    }

    /** At random, so that those that have met do not meet again; returns {@code false} if the thread is interrupted. */
    private static boolean pause(int attempt) {
        try {
            Thread.sleep(ThreadLocalRandom.current().nextLong(1, Math.min(LONGEST_PAUSE_MILLIS, 2L << attempt)));
            return true;
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    boolean isWithin() {
        return TransactionSynchronizationManager.hasResource(this);
    }

    private <T extends @Nullable Object> T newTransaction(Supplier<T> work) {
        boolean wasActive = TransactionSynchronizationManager.isActualTransactionActive();
        if (TransactionSynchronizationManager.hasResource(dataSource)) {
            ways.secondConnection().run();
        }
        try {
            return suspended == null
                    ? run(apart, () -> onApartConnection(work))
                    : run(suspended, () -> run(apart, () -> onApartConnection(work)));
        } finally {
            // After the end of the caller's transaction there is nothing that Spring would resume.
            TransactionSynchronizationManager.setActualTransactionActive(wasActive);
        }
    }

    /** Statements find their connection by the application's pool: for a moment that is the one of the new transaction. */
    private <T extends @Nullable Object> T onApartConnection(Supplier<T> work) {
        Object mine = Objects.requireNonNull(TransactionSynchronizationManager.getResource(apartKey));
        Object callers = TransactionSynchronizationManager.unbindResourceIfPossible(dataSource);
        TransactionSynchronizationManager.bindResource(dataSource, mine);
        TransactionSynchronizationManager.bindResource(this, this);
        try {
            limitTransaction();
            return work.get();
        } finally {
            TransactionSynchronizationManager.unbindResource(this);
            TransactionSynchronizationManager.unbindResource(dataSource);
            if (callers != null) {
                TransactionSynchronizationManager.bindResource(dataSource, callers);
            }
        }
    }

    /** Runs a statement that needs no transaction around it where connections commit by themselves. */
    private @Nullable Void alone(Runnable statement) {
        if (!committedByItself(statement)) {
            run(alone, () -> {
                limitTransaction();
                statement.run();
                return null;
            });
        }
        return null;
    }

    /** Returns {@code false} if the pool gives no connection that commits each statement. */
    private boolean committedByItself(Runnable statement) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            if (!connection.getAutoCommit()) {
                return false;
            }
            TransactionSynchronizationManager.bindResource(dataSource, new ConnectionHolder(connection));
            try {
                onBoundConnection(statement);
            } finally {
                TransactionSynchronizationManager.unbindResource(dataSource);
            }
            return true;
        } catch (SQLException ex) {
            throw new DataAccessResourceFailureException("the auto-commit mode of a connection can't be read", ex);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    private void onBoundConnection(Runnable statement) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        Runnable unlimited = limit.limit(connection);
        try {
            statement.run();
        } finally {
            unlimited.run();
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    /** The connection of a transaction that has ended: a file may be used by one connection at a time. */
    private void onFreeConnection(Runnable statement) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        boolean isStored = false;
        try {
            statement.run();
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
            isStored = true;
        } catch (SQLException ex) {
            throw new DataAccessResourceFailureException("the stored data can't be committed", ex);
        } finally {
            if (!isStored) {
                rollBack(connection);
            }
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    /** Otherwise the return to automatic commits would store what the caller gets an error for. */
    private static void rollBack(Connection connection) {
        try {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        } catch (SQLException ex) {
            logger.debug("A transaction that could not be committed can't be rolled back either", ex);
        }
    }

    /** Limits the transaction of the thread, its commit included. */
    private void limitTransaction() {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        Runnable unlimited = limit.limit(connection);
        DataSourceUtils.releaseConnection(connection, dataSource);
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                unlimited.run();
            }
        });
    }

    @SuppressWarnings("NullAway") // null only where T admits it
    private static <T extends @Nullable Object> T run(TransactionTemplate transaction, Supplier<T> work) {
        try {
            return transaction.execute(status -> work.get());
        } catch (TransactionSystemException ex) {
            // SQLite rolls back by itself when the disk is full, so that the rollback fails and would hide the reason.
            if (ex.getApplicationException() instanceof RuntimeException reason) {
                reason.addSuppressed(ex);
                throw reason;
            }
            throw ex;
        }
    }
}
