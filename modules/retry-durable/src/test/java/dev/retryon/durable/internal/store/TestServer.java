// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.util.function.Consumer;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The database servers that tests run on. */
public enum TestServer {
    POSTGRESQL,
    MARIADB,
    MYSQL;

    /** The URL of a new database without tables; it names user and password. */
    public String database() {
        return switch (this) {
            case POSTGRESQL -> TestPostgres.database();
            case MARIADB -> TestMariaDb.database();
            case MYSQL -> TestMySql.database();
        };
    }

    /** The same for another driver of these servers, {@code mysql} or {@code mariadb}. */
    public String database(String driver) {
        String url = database().replaceFirst("jdbc:[a-z]+:", "jdbc:" + driver + ":");
        // MySQL's driver decodes its URL, which has a time zone.
        return driver.equals("mysql") ? url.replace("+", "%2B") : url.replace("sslMode=DISABLED", "sslMode=disable");
    }

    /** The URL of a database for a user with some rights there and none on the server. */
    public String ofApplication(String url, String rights) {
        return switch (this) {
            case POSTGRESQL -> throw new UnsupportedOperationException();
            case MARIADB -> TestMariaDb.ofApplication(url, rights);
            case MYSQL -> TestMySql.ofApplication(url, rights);
        };
    }

    /** Makes the server read-only meanwhile, except for those who administer it. */
    public void readOnly(String url, Runnable work) {
        JdbcTemplate administrator = new JdbcTemplate(new DriverManagerDataSource(url));
        Runnable readOnly = () -> {
            administrator.execute("set global read_only = on");
            try {
                work.run();
            } finally {
                administrator.execute("set global read_only = off");
            }
        };
        alone(readOnly);
    }

    private void alone(Runnable work) {
        switch (this) {
            case POSTGRESQL -> throw new UnsupportedOperationException();
            case MARIADB -> TestMariaDb.alone(work);
            case MYSQL -> TestMySql.alone(work);
        }
    }

    /**
     * Works with a database of a server that accepts statements of at most 64 KiB. MySQL's driver knows the limit, and does not send
     * what is larger. The MariaDB server is that of this JVM, because others would have the limit too.
     */
    public void smallPackets(Consumer<String> work) {
        if (this == MYSQL) {
            work.accept(database() + "&maxAllowedPacket=65536");
            return;
        }
        String url = TestMariaDb.databaseOfThisJvm();
        JdbcTemplate server = new JdbcTemplate(new DriverManagerDataSource(url));
        Long before = server.queryForObject("select @@global.max_allowed_packet", Long.class);
        server.execute("set global max_allowed_packet = 65536");
        try {
            work.accept(url);
        } finally {
            server.execute("set global max_allowed_packet = " + before);
        }
    }
}
