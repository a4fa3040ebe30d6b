// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import com.zaxxer.hikari.util.Credentials;
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
 * A small pool for writes whose callers may hold connections of the application's pool: if each of them needed a second one of the
 * same pool, all would wait for each other. It is a copy of the application's pool, opens connections when they are needed, and
 * closes those that are idle for a minute. If the server does not admit connections beside those of the application's pool, that
 * pool is used, and the next try follows after a minute.
 */
final class OwnPool extends DelegatingDataSource implements AutoCloseable {

    private static final Duration IDLE = Duration.ofMinutes(1);

    private static final Duration CLOSING = Duration.ofSeconds(2);

    private static final long MOMENT = 1_000_000;

    private static final Duration SHORTEST_WAIT = Duration.ofMillis(250);

    private final HikariDataSource original;

    private final int size;

    private final Duration timeout;

    /** Whether {@code READ COMMITTED} can be set: it locks no gaps between rows, and refuses no concurrent insert. */
    private final boolean readsCommitted;

    private @Nullable HikariDataSource copy;

    private boolean closed;

    /** Until then, the application's pool is used. */
    private volatile long openAgain = System.nanoTime();

    private volatile boolean warned;

    private OwnPool(HikariDataSource original, int size, Duration timeout, boolean readsCommitted) {
        super(original);
        this.original = original;
        this.size = size;
        this.timeout = timeout;
        this.readsCommitted = readsCommitted;
    }

    /**
     * A copy of the application's pool; {@code null} if that is no plain {@code HikariDataSource}. A subclass or a proxy may do
     * anything to connections, and the copy would not.
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
        boolean readsCommitted = switch (database) {
            case POSTGRESQL, MARIADB, MYSQL -> true;
            case SQLITE, H2 -> false;
        };
        return new OwnPool((HikariDataSource) plain, size, timeout, readsCommitted);
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
            // All are in use, or the server admits no connections beside those of the application's pool.
            return pool.getHikariPoolMXBean().getTotalConnections() > 0 ? pool.getConnection() : ofApplication(ex);
        }
    }

    /** Whether connections are not those of the application's pool, as far as is known. */
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
                                + " and dead letters use that pool, in which callers may occupy all connections. Allow"
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
        } else if (original.getCredentialsProvider() == null) {
            renew(copy);
        }
        return copy;
    }

    /** Credentials may have been changed at run time. */
    private void renew(HikariDataSource pool) {
        Credentials now = original.getCredentials();
        Credentials used = pool.getCredentials();
        if (!Objects.equals(now.getUsername(), used.getUsername())
                || !Objects.equals(now.getPassword(), used.getPassword())) {
            pool.setCredentials(now);
        }
    }

    private HikariDataSource open() {
        HikariConfig config = new HikariConfig();
        original.copyStateTo(config);
        config.setPoolName(Objects.requireNonNullElse(original.getPoolName(), "pool") + "-retryon");
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        config.setIdleTimeout(IDLE.toMillis());
        // Half of the time, because there is a second try.
        long wait =
                Math.max(Math.min(original.getConnectionTimeout(), timeout.toMillis()) / 2, SHORTEST_WAIT.toMillis());
        config.setConnectionTimeout(wait);
        config.setInitializationFailTimeout(-1);
        config.setReadOnly(false);
        if (readsCommitted) {
            config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        }
        return new HikariDataSource(config);
    }

    /** Waits a moment until writes have ended, because a closed pool aborts them. */
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
