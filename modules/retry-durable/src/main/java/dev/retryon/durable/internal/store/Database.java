// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

public enum Database {
    /** PostgreSQL, for any number of processes. */
    POSTGRESQL("PostgreSQL"),

    /** MariaDB, for any number of processes. */
    MARIADB("MariaDB"),

    /** SQLite, for one process. */
    SQLITE("SQLite"),

    /** H2, for tests. */
    H2("H2");

    private final String product;

    Database(String product) {
        this.product = product;
    }

    /** The name of the database in the names of scripts, such as {@code postgresql}. */
    public String platform() {
        return name().toLowerCase(Locale.ROOT);
    }

    String product() {
        return product;
    }

    static List<String> products() {
        return Arrays.stream(values()).map(database -> database.product).toList();
    }

    /** The database as its driver describes it. */
    record Product(String name, String url) {

        static Product of(DataSource dataSource) {
            Product product = new JdbcTemplate(dataSource).execute((Connection connection) -> {
                DatabaseMetaData metaData = connection.getMetaData();
                return new Product(metaData.getDatabaseProductName(), String.valueOf(metaData.getURL()));
            });
            return product == null ? new Product("", "") : product;
        }

        /** The database; throws IllegalArgumentException with a sentence if it is none of those that are known. */
        Database database() {
            for (Database database : values()) {
                if (database.product.equalsIgnoreCase(name)) {
                    return database;
                }
            }
            throw new IllegalArgumentException("the database is '" + name + "', but must be one of " + products());
        }

        /** Where the database is, without the parameters of the URL, which may hold a password. */
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
