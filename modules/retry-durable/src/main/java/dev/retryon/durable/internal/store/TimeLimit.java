// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Limits the time of writes. The driver cancels the statement. If the server does not respond to the cancellation, the
 * driver closes the connection a moment later. A driver that does not support this does not limit the time.
 */
final class TimeLimit {

    private static final Duration MOMENT = Duration.ofSeconds(2);

    private static final Duration LONGEST = Duration.ofDays(1);

    private final int statementSeconds;

    private final int networkMillis;

    TimeLimit(Duration timeout, Database database) {
        Duration bounded = timeout.compareTo(LONGEST) > 0 ? LONGEST : timeout;
        int seconds = (int) Math.max(1, (bounded.toMillis() + 999) / 1000);
        // SQLite's driver would use the limit as the time to wait for other writers, which each connection already has.
        this.statementSeconds = database == Database.SQLITE ? -1 : seconds;
        this.networkMillis = (int) Duration.ofSeconds(seconds).plus(MOMENT).toMillis();
    }

    /** Returns the limit for one statement in seconds, or -1 for none. */
    int statementSeconds() {
        return statementSeconds;
    }

    /** Limits the waits for the server, and returns an action that removes the limit. */
    Runnable limit(Connection connection) {
        try {
            int before = connection.getNetworkTimeout();
            if (before > 0 && before <= networkMillis) {
                return () -> {};
            }
            connection.setNetworkTimeout(Runnable::run, networkMillis);
            return () -> reset(connection, before);
        } catch (SQLException | RuntimeException | AbstractMethodError ex) {
            return () -> {}; // the driver or the pool does not support this
        }
    }

    private static void reset(Connection connection, int before) {
        try {
            connection.setNetworkTimeout(Runnable::run, before);
        } catch (SQLException | RuntimeException ex) {
            return; // the connection is broken
        }
    }
}
