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

/** The database that calls are kept in, with its tables. Thread-safe. */
public final class RetryStore implements CallEngine.Transactions {

    /** The table of what operators have changed for all nodes. */
    public static final String CHANGES = "retryon_change";

    /** The table of the running processes. */
    public static final String NODES = "retryon_node";

    /** The table of bulk tasks. */
    public static final String TASKS = "retryon_task";

    /** The table of calls in all states. It has the columns of db-scheduler, and further ones. */
    public static final String CALLS = "retryon_call";

    /** The table of the order keys that were used recently. */
    public static final String ORDERS = "retryon_order";

    /** The state of a call that waits or runs. The other states are those of dead letters. */
    public static final String WAITING = "WAITING";

    /**
     * Ends the lease of a call, in an update: its holder can't write the call any more. If the call must run once more, any later
     * run is that one.
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

    /** The pattern of texts in lower case that contain a text, for {@code like ? escape '!'}. */
    public static String containing(String text) {
        String part = storable(text).toLowerCase(Locale.ROOT);
        return "%" + part.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%";
    }

    /**
     * The beginning of a statement that MariaDB would otherwise reject if a row has changed since the transaction first read, because
     * its default isolation since 11.6.2 does so. It replaces the settings of the driver, which limit the time of the statement.
     * Other databases read it as a comment.
     */
    public String asItIs() {
        return asItIs;
    }

    /** The connections, which are not aware of transactions by themselves. */
    public DataSource dataSource() {
        return dataSource;
    }

    public Database database() {
        return database;
    }

    /** Runs statements in the transaction that the thread is in. Each has a time limit. Ask again for each transaction. */
    public JdbcClient jdbc() {
        return transactions.statements().client();
    }

    /** Like {@link #jdbc}. */
    public JdbcTemplate template() {
        return transactions.statements().template();
    }

    /**
     * Adds, changes and deletes a row of a table, in a transaction apart that is rolled back.
     *
     * @throws RuntimeException if one of these writes is refused, or has no effect
     */
    public void tryWrites(String table) {
        transactions.rolledBack(() -> StoreTable.of(table).tryWrites(template(), database, application));
    }

    /**
     * Looks for a right on tables that the user of the database certainly lacks.
     *
     * @return what is missing and what to do about it; {@code null} if nothing is
     */
    public @Nullable String missingRight(String... tables) {
        for (String table : tables) {
            String missing = StoreSchema.missingRight(StoreTable.of(table), () -> tryWrites(table));
            if (missing != null) {
                return missing;
            }
        }
        return null;
    }

    /** Whether it is a separate file, which nothing else is kept in; {@code false} for a database of the application. */
    public boolean isOwn() {
        return own;
    }

    /**
     * The application whose rows are used; other applications may have rows in the same tables: letters, digits, dots, dashes,
     * underscores and {@code #}; 100 characters at most.
     */
    public String application() {
        return application;
    }

    /** {@code false} if the application has transactions, and all are of other databases. */
    public boolean joinsCallers() {
        return joinsCallers;
    }

    /**
     * Writes in a transaction apart from that of the caller, which is usually rolled back. In a transaction of the
     * application's SQLite file it is part of that, because no other connection can write there meanwhile. Writes within a
     * write are part of it. If the database refuses the transaction because of concurrent ones, all of it is repeated.
     */
    @Override
    public <T extends @Nullable Object> T write(Supplier<T> work) {
        return transactions.write(work);
    }

    /** Writes like {@link #write} if that needs no second connection of the application's pool, and nothing otherwise. */
    void writeBeside(Runnable work) {
        transactions.writeBeside(work);
    }

    /** Whether the thread is within {@link #write}. */
    public boolean isWriting() {
        return transactions.isWithin();
    }

    /**
     * Writes like {@link #write}, with a single statement. If the thread has no transaction, and connections commit each
     * statement, it is a transaction by itself: one around it would double the round trips.
     */
    @Override
    public void writeSingle(Runnable statement) {
        transactions.writeSingle(statement);
    }

    /** Like {@link #writeSingle} if no transaction can be joined. */
    @Override
    public void joinSingle(Runnable statement, boolean apartFromOthers) {
        transactions.joinSingle(statement, apartFromOthers, toString());
    }

    /** Like {@link #write} if no transaction can be joined. */
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

    /** Whether the thread's transaction certainly rolls back; only before its completion. */
    public static boolean isRollingBack() {
        return CommitMark.isRollback();
    }

    /** Whether the database rolls a transaction back in which a statement fails like this. */
    public boolean losesTransaction(RuntimeException error) {
        return DatabaseErrors.CONFLICT.include(error);
    }
}
