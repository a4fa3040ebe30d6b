// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A MySQL or MariaDB server at a URL, whose user has all rights. Each test gets its own database, which remains.
 *
 * @param options further parameters of its URL
 */
record ServerAtUrl(String url, String options) {

    private static final AtomicInteger DATABASES = new AtomicInteger();

    /** The URL of a new database without tables; it names user and password. */
    String database() {
        // Two JVMs use the server at a time.
        String name = "trial" + ProcessHandle.current().pid() + "_" + DATABASES.incrementAndGet();
        // Not every database holds every character by itself.
        execute("create database " + name + " character set latin1");
        return ofDatabase(name);
    }

    private String ofDatabase(String database) {
        String[] parts = url.split("\\?", 2);
        String parameters = Stream.of(parts.length == 1 ? "" : parts[1], options)
                .filter(each -> !each.isEmpty())
                .reduce((given, more) -> given + "&" + more)
                .orElse("");
        return parts[0].replaceFirst("(//[^/]+).*", "$1/" + database) + "?" + parameters;
    }

    /** The URL of a database for a user with some rights there and none on the server. */
    String ofApplication(String database, String rights) {
        String name = database.substring(database.lastIndexOf('/') + 1, database.indexOf('?'));
        execute(
                "create user if not exists " + name + "@'%' identified by '" + name + "'",
                "grant " + rights + " on " + name + ".* to " + name + "@'%'");
        return database.replaceAll("(user|password)=[^&]*&", "")
                .replace("?", "?user=" + name + "&password=" + name + "&");
    }

    /** Changes settings of the server while no other JVM does. */
    void alone(Runnable work) {
        try (Connection connection = DriverManager.getConnection(ofDatabase(""));
                Statement statement = connection.createStatement()) {
            statement.execute("select get_lock('retryon.settings', 600)");
            work.run();
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private void execute(String... statements) {
        try (Connection connection = DriverManager.getConnection(ofDatabase(""));
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
