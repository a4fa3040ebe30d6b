// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import dev.retryon.spring.module.StarterLog;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;

/**
 * A small pool for writes whose callers might occupy connections of the application's pool. If each caller needed a second
 * connection of the same pool, all would wait for each other. The small pool is a copy of the application's pool. It opens
 * connections when they are needed, and closes connections that are idle for a minute. If the server does not accept
 * additional connections, the application's pool is used, and the next try follows after a minute.
 */
final class OwnPool extends DelegatingDataSource implements AutoCloseable {

    private static final Duration IDLE = Duration.ofMinutes(1);

    private static final Duration CLOSING = Duration.ofSeconds(2);

    private static final long MOMENT = 1_000_000;

    private static final Duration SHORTEST_WAIT = Duration.ofMillis(250);

    private final HikariDataSource original;

    private final int size;

    private final Duration timeout;

    private final Database database;

    private @Nullable HikariDataSource copy;

    private boolean closed;

    /** The time until which the application's pool is used. */
    private volatile long openAgain = System.nanoTime();

    private volatile boolean warned;

    private OwnPool(HikariDataSource original, int size, Duration timeout, Database database) {
        super(original);
        this.original = original;
        this.size = size;
        this.timeout = timeout;
        this.database = database;
    }

    /**
     * Returns a copy of the application's pool, or {@code null} if the pool is not a plain {@code HikariDataSource}. A
     * subclass or a proxy can change connections in any way, and the copy would not.
     */
    static @Nullable OwnPool of(DataSource dataSource, Database database, int size, Duration timeout) {
        DataSource plain = dataSource;
        while (plain.getClass() == LazyConnectionDataSourceProxy.class
                && ((LazyConnectionDataSourceProxy) plain).getTargetDataSource() != null) {
            plain = Objects.requireNonNull(((LazyConnectionDataSourceProxy) plain).getTargetDataSource());
        }
        if (plain.getClass() != HikariDataSource.class) {
            return null;
        }
        return new OwnPool((HikariDataSource) plain, size, timeout, database);
    }

    static boolean isReadOnly(DataSource dataSource) {
        return dataSource instanceof HikariDataSource pool && pool.isReadOnly();
    }

    @Override
    public Connection getConnection() throws SQLException {
        HikariDataSource pool = pool();
        if (pool == null || System.nanoTime() - openAgain < 0) {
            return super.getConnection();
        }
        try {
            return pool.getConnection();
        } catch (SQLException ex) {
            if (pool.isClosed()) {
                return super.getConnection();
            }
            if (!(ex instanceof SQLTransientConnectionException)) {
                throw ex;
            }
            // All connections are in use, or the server accepts none in addition to those of the application's pool.
            return pool.getHikariPoolMXBean().getTotalConnections() > 0 ? pool.getConnection() : ofApplication(ex);
        }
    }

    /** Returns whether connections come from this pool and not from the application's, as far as is known. */
    synchronized boolean isInUse() {
        return !closed && System.nanoTime() - openAgain >= 0;
    }

    private Connection ofApplication(SQLException refused) throws SQLException {
        try {
            Connection connection = super.getConnection();
            openAgain = System.nanoTime() + IDLE.toNanos();
            if (!warned) {
                warned = true;
                StarterLog.warn(
                        "The database accepts no connections beyond those of the application's pool, so stored calls"
                                + " and dead letters use that pool, in which callers can occupy all connections. Allow"
                                + " the database user "
                                + size
                                + " more connections, make the pool smaller, or set retryon.jdbc.own-connections=0"
                                + " (logged once)",
                        refused);
            }
            return connection;
        } catch (SQLException ex) {
            refused.addSuppressed(ex);
            throw refused;
        }
    }

    private synchronized @Nullable HikariDataSource pool() {
        if (closed) {
            return null;
        }
        if (copy == null) {
            copy = open();
        }
        return copy;
    }

    private HikariDataSource open() {
        HikariConfig config = new HikariConfig();
        original.copyStateTo(config);
        if (original.getCredentialsProvider() == null) {
            // The credentials of the application's pool can change at run time.
            config.setCredentialsProvider(original::getCredentials);
        }
        config.setPoolName(Objects.requireNonNullElse(original.getPoolName(), "pool") + "-retryon");
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        config.setIdleTimeout(IDLE.toMillis());
        // Half of the time, because a second try follows.
        long wait =
                Math.max(Math.min(original.getConnectionTimeout(), timeout.toMillis()) / 2, SHORTEST_WAIT.toMillis());
        config.setConnectionTimeout(wait);
        config.setInitializationFailTimeout(-1);
        config.setReadOnly(false);
        if (database == Database.POSTGRESQL || database.isInnoDb()) {
            // This isolation locks no gaps between rows, and rejects no concurrent insert.
            config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        }
        if (database == Database.MARIADB) {
            // All statements are in transactions, and each change of this setting would be a round trip. MySQL's driver
            // would not notice if SQL of the application switched it on again.
            config.setAutoCommit(false);
            config.setIsolateInternalQueries(true);
        }
        return new HikariDataSource(config);
    }

    /** Waits briefly until writes have ended, because a closed pool aborts them. */
    @Override
    public void close() {
        HikariDataSource pool;
        synchronized (this) {
            pool = copy;
            closed = pool == null;
        }
        if (pool != null) {
            awaitIdle(pool.getHikariPoolMXBean());
            synchronized (this) {
                closed = true;
            }
            pool.close();
        }
    }

    private static void awaitIdle(HikariPoolMXBean pool) {
        long end = System.nanoTime() + CLOSING.toNanos();
        while (pool.getActiveConnections() + pool.getThreadsAwaitingConnection() > 0
                && System.nanoTime() < end
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(MOMENT);
        }
    }
}
