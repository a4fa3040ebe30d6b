// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import dev.retryon.durable.internal.engine.CallEngine;
import java.util.Locale;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The database that stores calls, with its tables. Thread-safe. */
public final class RetryStore implements CallEngine.Transactions {

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

    private final DataSource dataSource;

    private final Database database;

    private final boolean own;

    private final String application;

    private final boolean joinsCallers;

    private final StoreTransactions transactions;

    private final String asItIs;

    private final CallLines lines;

    private final JdbcCallStore calls;

    RetryStore(
            DataSource dataSource,
            Database database,
            boolean own,
            String application,
            boolean joinsCallers,
            StoreTransactions transactions) {
        this.dataSource = dataSource;
        this.database = database;
        this.own = own;
        this.application = application;
        this.joinsCallers = joinsCallers;
        this.transactions = transactions;
        this.asItIs = "/*M!110402 set statement innodb_snapshot_isolation = off, max_statement_time = "
                + transactions.statementSeconds() + " for */ ";
        this.lines = new CallLines(this);
        this.calls = new JdbcCallStore(this);
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
        return transactions.statements().client();
    }

    /** Returns a template with the rules of {@link #jdbc}. */
    public JdbcTemplate template() {
        return transactions.statements().template();
    }

    /** Adds, changes and deletes a row, and rolls back. Throws an exception if a write is rejected, or has no effect. */
    public void tryWrites(String table) {
        transactions.rolledBack(() -> StoreTable.of(table).tryWrites(template(), database, application));
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
        return joinsCallers;
    }

    /**
     * Writes in a separate transaction, because the caller's transaction is usually rolled back. In a transaction of the
     * application's SQLite file, the write is part of that transaction, because no other connection can write there
     * meanwhile. Nested writes are part of the outer write. If the database rejects the transaction because of concurrent
     * ones, the whole transaction is repeated.
     */
    @Override
    public <T extends @Nullable Object> T write(Supplier<T> work) {
        return transactions.write(work);
    }

    /** Writes like {@link #write} if this needs no second connection of the application's pool, and otherwise does nothing. */
    void writeBeside(Runnable work) {
        transactions.writeBeside(work);
    }

    /** Returns whether the thread is within {@link #write}. */
    public boolean isWriting() {
        return transactions.isWithin();
    }

    /**
     * Writes like {@link #write}, with a single statement. If the thread has no transaction, and connections commit each
     * statement, the statement is a transaction by itself, because an explicit transaction would double the round trips.
     */
    @Override
    public void writeSingle(Runnable statement) {
        transactions.writeSingle(statement);
    }

    /** Writes like {@link #writeSingle} if no transaction can be joined. */
    @Override
    public void joinSingle(Runnable statement, boolean apartFromOthers) {
        transactions.joinSingle(statement, apartFromOthers, toString());
    }

    /** Writes like {@link #write} if no transaction can be joined. */
    @Override
    public void join(Runnable writes, boolean apartFromOthers) {
        transactions.join(writes, apartFromOthers, toString());
    }

    boolean afterCaller(Runnable write) {
        if (!transactions.holdsOthersUp()) {
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

    /** Returns whether the thread's transaction certainly rolls back. Use only before the transaction's completion. */
    public static boolean isRollingBack() {
        return CommitMark.isRollback();
    }

    /** Returns whether the database rolls back a transaction in which a statement fails with the given error. */
    public boolean losesTransaction(RuntimeException error) {
        return DatabaseErrors.CONFLICT.include(error);
    }
}
