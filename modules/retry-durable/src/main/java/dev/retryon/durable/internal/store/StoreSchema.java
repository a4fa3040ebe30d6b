// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import dev.retryon.spring.Place;
import dev.retryon.spring.RetryFault;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ResourceLoader;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionException;

/** Creates the tables if configured, and checks that they are complete and that the user has the rights. */
public record StoreSchema(SchemaSettings settings, ResourceLoader resources) {

    /** How often the script is run while other processes also run it: at most one conflict for each table and index. */
    private static final int RUNS = 12;

    /**
     * Creates the tables if this is configured, and checks them. Returns the fault, or {@code null}.
     *
     * @param own whether the database is RetryOn's own file, in which no other program creates tables
     */
    @Nullable RetryFault prepare(DataSource dataSource, Database database, boolean own) {
        RuntimeException failure = null;
        for (int run = 0; run < RUNS; run++) {
            failure = null;
            try {
                if (!runScript(dataSource, database, own)) {
                    return check(dataSource, database, null);
                }
            } catch (DataAccessException ex) {
                // Another process might be creating the same table, which several databases report as an error.
                failure = ex;
            }
            // If the tables are complete, the right to create them is not needed.
            RetryFault fault = check(dataSource, database, failure);
            if (fault == null || DatabaseErrors.DENIED.include(failure)) {
                return fault;
            }
        }
        return check(dataSource, database, failure);
    }

    /** Returns whether the script applies to this database. */
    private boolean runScript(DataSource dataSource, Database database, boolean own) {
        DatabaseInitializationSettings script = new DatabaseInitializationSettings();
        script.setSchemaLocations(List.of(settings.scriptFor(database)));
        script.setContinueOnError(settings.continueOnError());
        script.setMode(
                own
                        ? DatabaseInitializationMode.ALWAYS
                        : DatabaseInitializationMode.valueOf(settings.mode().name()));
        DataSourceScriptDatabaseInitializer initializer = new DataSourceScriptDatabaseInitializer(dataSource, script);
        initializer.setResourceLoader(resources);
        return initializer.initializeDatabase();
    }

    private @Nullable RetryFault check(DataSource dataSource, Database database, @Nullable RuntimeException failure) {
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        for (StoreTable table : StoreTable.ALL) {
            try {
                table.read(jdbc);
                List<String> narrow = database == Database.MYSQL ? table.narrowColumns(jdbc) : List.of();
                if (!narrow.isEmpty()) {
                    return new RetryFault(
                            Place.property("retryon.jdbc.schema"),
                            "created table '" + table.table() + "', whose columns " + String.join(", ", narrow)
                                    + " do not store every character; run ALTER TABLE " + table.table()
                                    + " CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
                }
            } catch (DataAccessResourceFailureException ex) {
                throw ex;
            } catch (DataAccessException ex) {
                return new RetryFault(
                        Place.property("retryon.jdbc.initialize-schema"),
                        "is '" + settings.mode().name().toLowerCase(Locale.ROOT) + "', but table '" + table.table()
                                + "' cannot be read (" + firstLine(ex) + "); "
                                + advice(jdbc, table, ex, database, failure));
            }
        }
        return null;
    }

    private String advice(
            JdbcTemplate jdbc,
            StoreTable table,
            DataAccessException unreadable,
            Database database,
            @Nullable RuntimeException failure) {
        if (DatabaseErrors.DENIED.include(unreadable)) {
            return rights(table);
        }
        String script = settings.scriptFor(database);
        List<String> missing = missing(jdbc, table);
        if (missing.size() < table.columns().size()) {
            return "the table exists, but lacks " + String.join(", ", missing) + "; add these columns as in " + script
                    + " with Flyway, Liquibase or manually, because RetryOn never changes an existing table";
        }
        if (failure != null) {
            return "the script could not create it (" + firstLine(failure) + "); "
                    + (DatabaseErrors.DENIED.include(failure)
                            ? "grant the user the privilege to create tables, or run "
                            : "fix the problem, or run ")
                    + script + " with Flyway, Liquibase or manually";
        }
        return "run " + script + " with Flyway, Liquibase or manually"
                + (settings.mode() == SchemaSettings.Mode.ALWAYS ? "" : ", or set the property to 'always'");
    }

    private static List<String> missing(JdbcTemplate jdbc, StoreTable table) {
        return table.columns().stream()
                .filter(column -> {
                    try {
                        table.read(jdbc, column);
                        return false;
                    } catch (DataAccessException ex) {
                        return true;
                    }
                })
                .toList();
    }

    /** Returns the right that writes to a table lack; {@code null} if the database reports none, or does not respond. */
    static @Nullable String missingRight(StoreTable table, Runnable writes) {
        try {
            writes.run();
            return null;
        } catch (StoreTable.NotWrittenException ex) {
            return ex.getMessage() + "; " + rights(table);
        } catch (DataAccessException | TransactionException ex) {
            return DatabaseErrors.DENIED.include(ex) ? firstLine(ex) + "; " + rights(table) : null;
        }
    }

    private static String rights(StoreTable table) {
        return "grant the user SELECT, INSERT, UPDATE and DELETE on table '" + table.table()
                + "', and make sure that row-level security, if enabled, allows all of them";
    }

    private static String firstLine(Throwable error) {
        return String.valueOf(NestedExceptionUtils.getMostSpecificCause(error).getMessage())
                .lines()
                .findFirst()
                .orElse("")
                .trim();
    }
}
