// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

public enum Database {
    /** PostgreSQL, for any number of processes. */
    POSTGRESQL("PostgreSQL"),

    /** MariaDB, for any number of processes. */
    MARIADB("MariaDB"),

    /** MySQL since 8.0.1, for any number of processes. */
    MYSQL("MySQL"),

    /** SQLite, for one process. */
    SQLITE("SQLite"),

    /** H2, for tests. */
    H2("H2");

    private final String product;

    Database(String product) {
        this.product = product;
    }

    /** Returns the database's name in the names of scripts, such as {@code postgresql}. */
    public String platform() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether this is MariaDB or MySQL, whose columns have no time zone and which lock rows in the same way. */
    public boolean isInnoDb() {
        return this == MARIADB || this == MYSQL;
    }

    /** Returns the SQL expression for the current time, in milliseconds. */
    public String now() {
        return switch (this) {
            case POSTGRESQL, H2 -> "cast(extract(epoch from current_timestamp) * 1000 as bigint)";
            case MARIADB, MYSQL -> "timestampdiff(microsecond, '1970-01-01', utc_timestamp(3)) div 1000";
            case SQLITE -> "cast((julianday('now') - 2440587.5) * 86400000 as integer)";
        };
    }

    String product() {
        return product;
    }

    static List<String> products() {
        return Arrays.stream(values()).map(database -> database.product).toList();
    }

    record Product(String name, String version, String url) {

        private static final Pattern BETWEEN_NUMBERS = Pattern.compile("\\D+");

        static Product of(DataSource dataSource) {
            Product product = new JdbcTemplate(dataSource).execute((Connection connection) -> {
                DatabaseMetaData metaData = connection.getMetaData();
                return new Product(
                        metaData.getDatabaseProductName(),
                        metaData.getDatabaseProductVersion(),
                        String.valueOf(metaData.getURL()));
            });
            return product == null ? new Product("", "", "") : product;
        }

        /** Returns the database. Throws IllegalArgumentException with a sentence if RetryOn does not support it. */
        Database database() {
            // The server's name is decisive, because MySQL's driver calls a MariaDB server MySQL.
            String server = version.contains(MARIADB.product) ? MARIADB.product : name;
            for (Database database : values()) {
                if (database.product.equalsIgnoreCase(server)) {
                    if (database == MYSQL && isOlderThan(8, 0, 1)) {
                        throw new IllegalArgumentException("the database is MySQL " + version
                                + ", but must be MySQL 8.0.1 or newer, which can skip locked rows");
                    }
                    return database;
                }
            }
            throw new IllegalArgumentException(
                    "the database is '" + name + "', but must be one of " + String.join(", ", products()));
        }

        boolean isOlderThan(int... least) {
            int[] numbers = BETWEEN_NUMBERS
                    .splitAsStream(version)
                    .limit(least.length)
                    .mapToInt(Integer::parseInt)
                    .toArray();
            return Arrays.compare(numbers, least) < 0;
        }

        /** Returns the database's address without the parameters of the URL, which can contain a password. */
        String place() {
            return url.split("[?;]", 2)[0];
        }

        boolean isPrivate() {
            return url.equals("jdbc:h2:mem:");
        }

        boolean isInMemory() {
            return url.startsWith("jdbc:h2:mem:") || url.contains("sqlite::memory:") || url.equals("jdbc:sqlite:");
        }
    }
}
