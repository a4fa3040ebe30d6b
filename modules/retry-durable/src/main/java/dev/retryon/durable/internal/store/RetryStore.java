// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import dev.retryon.durable.internal.engine.CallEngine;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.Locale;
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
 * The database that stores calls, with its tables. Selects the transaction and the connection of each write. Thread-safe.
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
public final class RetryStore implements CallEngine.Transactions {

    private static final Log logger = LogFactory.getLog(RetryStore.class);

    /** The table of operators' changes for all nodes. */
    public static final String CHANGES = "retryon_change";

    public static final String NODES = "retryon_node";

    public static final String TASKS = "retryon_task";

    /** The table of calls in all states. It has the columns of db-scheduler, and further ones. */
    public static final String CALLS = "retryon_call";

    /** The table of the order keys that were used recently. */
    public static final String ORDERS = "retryon_order";

    /** The state of a waiting or running call. The other states are those of dead letters. */
    public static final String WAITING = "WAITING";

    /**
     * The part of an update that ends the lease of a call, so that its owner can no longer write the call. If the call must
     * run once more, any later run counts as this run.
     */
    public static final String NOT_LEASED =
            "picked = false, picked_by = null, last_heartbeat = null, again = false, version = version + 1";

    public static final int LONGEST_NAME = 255;

    private static final int ATTEMPTS = 10;

    private static final long LONGEST_PAUSE_MILLIS = 100;

    /** Changes nothing, and takes SQLite's write lock. */
    private static final String LOCK = "update " + CALLS + " set state = state where 1 = 0";

    private final DataSource dataSource;

    private final Database database;

    private final boolean own;

    private final String application;

    private final Ways ways;

    private final TimeLimit limit;

    /** Statements in callers' transactions, and statements outside transactions. */
    private final Statements callerStatements;

    /** Statements in the store's transactions, which are new because no other code looks for their connections. */
    private final Statements ownStatements;

    private final TransactionTemplate begun;

    /** Ties a connection to the thread, without a transaction. */
    private final TransactionTemplate tied;

    /** Informs Spring of a JTA transaction that Spring did not begin; {@code null} without JTA. */
    private final @Nullable TransactionTemplate known;

    /** Suspends a JTA transaction; {@code null} without JTA. */
    private final @Nullable TransactionTemplate suspended;

    private final String asItIs;

    private final CallLines lines;

    private final JdbcCallStore calls;

    /**
     * How transactions are found.
     *
     * @param ownPool the store's own pool; {@code null} for the application's
     * @param secondConnection runs before a write uses a connection although the caller already has one
     * @param repeats receives each conflict after which a write is repeated
     */
    record Ways(
            @Nullable DataSource ownPool,
            CallerTransaction caller,
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

    RetryStore(DataSource dataSource, Database database, boolean own, String application, Ways ways, Duration timeout) {
        this.dataSource = dataSource;
        this.database = database;
        this.own = own;
        this.application = application;
        this.ways = ways;
        this.limit = new TimeLimit(timeout, database);
        this.callerStatements = Statements.of(dataSource, limit);
        this.ownStatements =
                Statements.of(ways.ownPool() != null ? ways.ownPool() : new DelegatingDataSource(dataSource), limit);
        JdbcTransactionManager manager = new JdbcTransactionManager(ownStatements.source());
        // Otherwise the return to automatic commits would store what the caller gets an error for.
        manager.setRollbackOnCommitFailure(true);
        this.begun = new TransactionTemplate(manager);
        this.tied = template(new JdbcTransactionManager(dataSource), TransactionDefinition.PROPAGATION_SUPPORTS);
        PlatformTransactionManager jta = ways.caller().jta();
        this.known = jta == null ? null : template(jta, TransactionDefinition.PROPAGATION_SUPPORTS);
        this.suspended = jta == null ? null : template(jta, TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
        this.asItIs = "/*M!110402 set statement innodb_snapshot_isolation = off, max_statement_time = "
                + limit.statementSeconds() + " for */ ";
        this.lines = new CallLines(this);
        this.calls = new JdbcCallStore(this);
    }

    private static TransactionTemplate template(PlatformTransactionManager manager, int propagation) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(propagation);
        return template;
    }

    public static @Nullable String storable(@Nullable String text, int longest) {
        return text == null ? null : storable(text.substring(0, Math.min(text.length(), longest)));
    }

    /** Returns a text that every database accepts. PostgreSQL rejects the character 0. */
    public static String storable(String text) {
        return text.replace('\u0000', '\uFFFD');
    }

    /** Returns the pattern for lower-case texts that contain the given text, for {@code like ? escape '!'}. */
    public static String containing(String text) {
        String part = storable(text).toLowerCase(Locale.ROOT);
        return "%" + part.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%";
    }

    /**
     * Returns the beginning of a statement that MariaDB would otherwise reject if a row has changed since the
     * transaction's first read, because its default isolation since 11.6.2 does so. The text replaces the driver's
     * settings, which limit the statement's time. Other databases read it as a comment.
     */
    public String asItIs() {
        return asItIs;
    }

    /** Returns the data source of connections, which are not aware of transactions by themselves. */
    public DataSource dataSource() {
        return dataSource;
    }

    public Database database() {
        return database;
    }

    /** Returns a client for the thread's transaction, with a time limit for each statement. Request one for each transaction. */
    public JdbcClient jdbc() {
        return statements().client();
    }

    /** Returns a template with the rules of {@link #jdbc}. */
    public JdbcTemplate template() {
        return statements().template();
    }

    private Statements statements() {
        return isWriting() ? ownStatements : callerStatements;
    }

    /** Adds, changes and deletes a row, and rolls back. Throws an exception if a write is rejected, or has no effect. */
    public void tryWrites(String table) {
        RetryStore.<@Nullable Void>run(begun, status -> {
            status.setRollbackOnly();
            return none(() -> StoreTable.of(table).tryWrites(template(), database, application));
        });
    }

    /** Returns a right on tables that the user certainly lacks, and what to do about it; {@code null} if none is missing. */
    public @Nullable String missingRight(String... tables) {
        for (String table : tables) {
            String missing = StoreSchema.missingRight(StoreTable.of(table), () -> tryWrites(table));
            if (missing != null) {
                return missing;
            }
        }
        return null;
    }

    /** Returns whether the database is a separate file for RetryOn alone, and not a database of the application. */
    public boolean isOwn() {
        return own;
    }

    /**
     * Returns the application whose rows are used, because other applications can have rows in the same tables. The
     * text has at most 100 characters: letters, digits, dots, dashes, underscores and {@code #}.
     */
    public String application() {
        return application;
    }

    /** Returns {@code false} if the application has transactions, and all of them are for other databases. */
    public boolean joinsCallers() {
        return ways.caller().canBeOfStore();
    }

    /** Returns whether the thread is within {@link #write}. */
    public boolean isWriting() {
        return ownStatements.areTied();
    }

    /** Returns whether other connections cannot write after the caller's transaction has written. */
    private boolean hasOneWriter() {
        return database == Database.SQLITE && !own;
    }

    /**
     * Writes in a separate transaction, because the caller's transaction is usually rolled back. In a transaction of the
     * application's SQLite file, the write is part of that transaction, because no other connection can write there
     * meanwhile. Nested writes are part of the outer write. If the database rejects the transaction because of concurrent
     * ones, the whole transaction is repeated.
     */
    @Override
    public <T extends @Nullable Object> T write(Supplier<T> work) {
        if (isWriting()) {
            return work.get();
        }
        // On SQLite, a new transaction would wait for the caller's transaction, which has at least read the file.
        CallerTransaction.State state = hasOneWriter() ? ways.caller().state() : CallerTransaction.State.NONE;
        if (state == CallerTransaction.State.OF_STORE) {
            return whole(work);
        }
        if (state == CallerTransaction.State.ENDED && callerStatements.areTied() && !callerStatements.areCommitted()) {
            return committed(work);
        }
        return repeated(() -> newTransaction(work));
    }

    /**
     * Writes like {@link #write} with a connection of the own pool, and does nothing without this pool. If each caller
     * needed a second connection of the same pool, all would wait for each other.
     */
    void writeBeside(Runnable work) {
        if (ways.ownPool() instanceof OwnPool pool && pool.isInUse()) {
            writeAll(work);
        }
    }

    private static @Nullable Void none(Runnable work) {
        work.run();
        return null;
    }

    /**
     * Writes like {@link #write}, with a single statement. If the thread has no transaction, and connections commit each
     * statement, the statement is a transaction by itself, because an explicit transaction would double the round trips.
     */
    @Override
    public void writeSingle(Runnable statement) {
        if (isWriting()) {
            statement.run();
        } else {
            inKnownTransaction(() -> writeSingle(statement, ways.caller().state()));
        }
    }

    private void writeSingle(Runnable statement, CallerTransaction.State state) {
        Supplier<@Nullable Void> work = () -> none(statement);
        if (state == CallerTransaction.State.NONE) {
            this.<@Nullable Void>repeated(() -> run(tied, status -> committed(work)));
        } else if (state == CallerTransaction.State.ENDED && hasOneWriter() && callerStatements.areTied()) {
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

    /** Writes like {@link #writeSingle} if no transaction can be joined. */
    @Override
    public void joinSingle(Runnable statement, boolean apartFromOthers) {
        join(statement, apartFromOthers, state -> writeSingle(statement, state));
    }

    /** Writes like {@link #write} if no transaction can be joined. */
    @Override
    public void join(Runnable writes, boolean apartFromOthers) {
        join(writes, apartFromOthers, state -> writeAll(writes));
    }

    private void join(Runnable writes, boolean apartFromOthers, Consumer<CallerTransaction.State> otherwise) {
        if (isWriting()) {
            writes.run();
            return;
        }
        inKnownTransaction(() -> {
            CallerTransaction.State state = ways.caller().state();
            if (state == CallerTransaction.State.OF_STORE) {
                this.<@Nullable Void>limited(connection -> none(writes));
            } else if (state == CallerTransaction.State.OF_OTHERS && !apartFromOthers) {
                throw new IllegalTransactionStateException(
                        "the call is not stored, because its caller's transaction is not in the database that"
                                + " stores calls ("
                                + this
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
        if (callerStatements.areTied()) {
            ways.secondConnection().run();
        }
        Function<TransactionStatus, T> limited = status -> {
            limitTransaction();
            if (hasOneWriter()) {
                // A transaction that reads first does not wait for another writer: its first write fails immediately.
                ownStatements.template().update(LOCK);
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
        Connection connection = DataSourceUtils.getConnection(ownStatements.source());
        Runnable unlimited = limit.limit(connection);
        DataSourceUtils.releaseConnection(connection, ownStatements.source());
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                unlimited.run();
            }
        });
    }

    /** Works with the connection that is tied to the thread. */
    private <T extends @Nullable Object> T limited(Function<Connection, T> work) {
        Connection connection = DataSourceUtils.getConnection(callerStatements.source());
        Runnable unlimited = limit.limit(connection);
        try {
            return work.apply(connection);
        } finally {
            unlimited.run();
            DataSourceUtils.releaseConnection(connection, callerStatements.source());
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
                callerStatements.template().getExceptionTranslator().translate("commit", null, ex);
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

    boolean afterCaller(Runnable write) {
        boolean blocksOthers = hasOneWriter()
                && TransactionSynchronizationManager.isSynchronizationActive()
                && ways.caller().state() == CallerTransaction.State.OF_STORE;
        if (!blocksOthers) {
            return false;
        }
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                write.run();
            }
        });
        return true;
    }

    public CallLines lines() {
        return lines;
    }

    public JdbcCallStore calls() {
        return calls;
    }

    @Override
    public String toString() {
        return own ? "a separate file" : database.name();
    }
}
