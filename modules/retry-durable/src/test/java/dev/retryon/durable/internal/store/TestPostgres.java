// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/** One PostgreSQL server for all tests of a JVM, which ends with it. Each test has a database of its own. */
public final class TestPostgres {

    private static final AtomicInteger DATABASES = new AtomicInteger();

    private TestPostgres() {}

    private static final class Server {

        static final EmbeddedPostgres RUNNING = start();

        private static EmbeddedPostgres start() {
            try {
                // Each test might leave a pool open until its application is closed.
                return EmbeddedPostgres.builder()
                        .setServerConfig("max_connections", "200")
                        .start();
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        }
    }

    /** The URL of a new database without tables; it names user and password. */
    public static String database() {
        String name = "trial" + DATABASES.incrementAndGet();
        try (Connection connection = Server.RUNNING.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + name);
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
        return Server.RUNNING.getJdbcUrl("postgres", name);
    }
}
