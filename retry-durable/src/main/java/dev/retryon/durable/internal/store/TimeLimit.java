/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * How long the database may take for what is written. The driver cancels a statement; if the server does not even answer that, the
 * connection breaks a moment later. Where a driver can't do that, the wait is not bounded.
 */
final class TimeLimit {

    private static final Duration MOMENT = Duration.ofSeconds(2);

    private static final Duration LONGEST = Duration.ofDays(1);

    private final int statementSeconds;

    private final int networkMillis;

    TimeLimit(Duration timeout) {
        Duration bounded = timeout.compareTo(LONGEST) > 0 ? LONGEST : timeout;
        this.statementSeconds = (int) Math.max(1, (bounded.toMillis() + 999) / 1000);
        this.networkMillis =
                (int) Duration.ofSeconds(statementSeconds).plus(MOMENT).toMillis();
    }

    /** For one statement, in seconds. */
    int statementSeconds() {
        return statementSeconds;
    }

    /** Limits the waits for the server, and returns what takes the limit back. */
    Runnable limit(Connection connection) {
        try {
            int before = connection.getNetworkTimeout();
            if (before > 0 && before <= networkMillis) {
                return () -> {};
            }
            connection.setNetworkTimeout(Runnable::run, networkMillis);
            return () -> reset(connection, before);
        } catch (SQLException | RuntimeException | AbstractMethodError ex) {
            return () -> {}; // the driver or the pool can't do that
        }
    }

    private static void reset(Connection connection, int before) {
        try {
            connection.setNetworkTimeout(Runnable::run, before);
        } catch (SQLException | RuntimeException ex) {
            return; // it is broken
        }
    }
}
