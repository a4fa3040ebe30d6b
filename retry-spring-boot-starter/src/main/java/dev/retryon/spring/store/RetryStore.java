/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.store;

import dev.retryon.deadletter.DeadLetterStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The database that calls are kept in, with its tables. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RetryStore {

    /** The table of dead letters. */
    public static final String DEAD_LETTERS = "retryon_dead_letter";

    /** The table of what operators have changed for all nodes. */
    public static final String CHANGES = "retryon_change";

    /** The table of calls that wait for their next attempt. It has the columns of db-scheduler, and some of ours. */
    public static final String CALLS = "retryon_call";

    /** The longest name that a column takes, in characters. */
    public static final int LONGEST_NAME = 255;

    private final DataSource dataSource;

    private final Database database;

    private final boolean own;

    private final boolean joinsCallers;

    private final JdbcClient jdbc;

    private final TransactionTemplate apart;

    private final TransactionTemplate joined;

    RetryStore(
            DataSource dataSource,
            Database database,
            boolean own,
            PlatformTransactionManager transactions,
            boolean joinsCallers) {
        this.dataSource = dataSource;
        this.database = database;
        this.own = own;
        this.joinsCallers = joinsCallers;
        this.jdbc = JdbcClient.create(dataSource);
        this.joined = new TransactionTemplate(transactions);
        this.apart = new TransactionTemplate(transactions);
        this.apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    /**
     * As much of a text as a column takes.
     *
     * @param text the text; may be {@code null}
     * @param longest how many characters the column takes
     * @return {@code null} for {@code null}
     */
    public static @Nullable String storable(@Nullable String text, int longest) {
        return text == null ? null : storable(text.substring(0, Math.min(text.length(), longest)));
    }

    /**
     * A text as every database takes it. PostgreSQL takes none with the character 0.
     *
     * @param text the text
     * @return the text with another character in its place
     */
    public static String storable(String text) {
        return text.replace('\u0000', '\uFFFD');
    }

    /**
     * The connections.
     *
     * @return not aware of transactions by itself
     */
    public DataSource dataSource() {
        return dataSource;
    }

    /**
     * Which database it is.
     *
     * @return the database
     */
    public Database database() {
        return database;
    }

    /**
     * Runs statements, in the transaction of the thread if there is one.
     *
     * @return the client
     */
    public JdbcClient jdbc() {
        return jdbc;
    }

    /**
     * Whether it is a file of RetryOn's own, which nothing else is kept in.
     *
     * @return {@code false} for a database of the application
     */
    public boolean isOwn() {
        return own;
    }

    /**
     * Whether the application's transactions are transactions of this database too, so that what is written in {@link #join}
     * is rolled back with them.
     *
     * @return {@code false} if the application has transactions, and they are of another database; {@code true} if it has none
     */
    public boolean joinsCallers() {
        return joinsCallers;
    }

    /**
     * Writes in a transaction apart from that of the caller, which is usually rolled back. It needs a connection of its own.
     * Writes within a write are part of it.
     *
     * @param <T> the type of the result
     * @param work what is done in the transaction; an exception rolls it back
     * @return the result of the work, committed
     */
    public <T extends @Nullable Object> T write(Supplier<T> work) {
        if (TransactionSynchronizationManager.hasResource(this)) {
            return work.get();
        }
        return run(apart, () -> {
            TransactionSynchronizationManager.bindResource(this, this);
            try {
                return work.get();
            } finally {
                TransactionSynchronizationManager.unbindResource(this);
            }
        });
    }

    /**
     * Writes in the transaction of the caller, or in one of its own if there is none.
     *
     * @param <T> the type of the result
     * @param work what is done in the transaction
     * @return the result of the work
     */
    public <T extends @Nullable Object> T join(Supplier<T> work) {
        return run(joined, work);
    }

    /**
     * Writes like {@link #write}, with a single statement. It is a transaction by itself where none is active and connections
     * commit each statement: one around it would double the round trips.
     *
     * @param statement runs the statement
     */
    public void writeSingle(Runnable statement) {
        single(statement, apart);
    }

    /**
     * Writes like {@link #join}, with a single statement.
     *
     * @param statement runs the statement
     */
    public void joinSingle(Runnable statement) {
        single(statement, joined);
    }

    private void single(Runnable statement, TransactionTemplate otherwise) {
        if (TransactionSynchronizationManager.hasResource(this)) {
            statement.run();
            return;
        }
        boolean isAlone = !TransactionSynchronizationManager.isSynchronizationActive()
                && !TransactionSynchronizationManager.isActualTransactionActive()
                && !TransactionSynchronizationManager.hasResource(dataSource);
        if (!isAlone || !committedByItself(statement)) {
            RetryStore.<@Nullable Void>run(otherwise, () -> {
                statement.run();
                return null;
            });
        }
    }

    /** Runs a statement on a connection that commits each of them; returns {@code false} if the pool gives none. */
    private boolean committedByItself(Runnable statement) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            if (!connection.getAutoCommit()) {
                return false;
            }
            TransactionSynchronizationManager.bindResource(dataSource, new ConnectionHolder(connection));
            try {
                statement.run();
            } finally {
                TransactionSynchronizationManager.unbindResource(dataSource);
            }
            return true;
        } catch (SQLException ex) {
            throw new DataAccessResourceFailureException("a connection can't be asked whether it commits", ex);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
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

    /**
     * Returns whether dead letters are stored in this database, so that they can be part of its transactions.
     *
     * @param letters the store of dead letters
     * @return {@code false} if they are stored elsewhere
     */
    public boolean keeps(DeadLetterStore letters) {
        return letters instanceof JdbcDeadLetterStore jdbc && jdbc.isIn(this);
    }

    /**
     * Does something once the transaction of the thread is committed: at once if there is none, never if it is rolled back.
     *
     * @param action what is done
     */
    public void afterCommit(Runnable action) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            action.run();
            return;
        }
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                action.run();
            }
        });
    }

    @Override
    public String toString() {
        return own ? "a file of its own" : database.name();
    }
}
