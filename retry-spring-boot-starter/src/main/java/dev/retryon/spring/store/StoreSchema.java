/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.store;

import dev.retryon.spring.settings.Place;
import dev.retryon.spring.settings.RetryFault;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.io.ResourceLoader;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.JdbcTemplate;

/** The tables: creates them where that is wanted, and looks whether they are there. */
final class StoreSchema {

    private static final List<Table> TABLES = List.of(
            new Table(
                    RetryStore.DEAD_LETTERS,
                    "id, name, method, bean, arguments, error_code, error_type, error_message, stack_trace, failures,"
                            + " attempts, reason, first_failed_at, died_at, status, trace_id, trace_parent, actions, held_until,"
                            + " held_by"),
            new Table(
                    RetryStore.CALLS,
                    "task_name, task_instance, task_data, execution_time, picked, picked_by, last_success, last_failure,"
                            + " consecutive_failures, last_heartbeat, version, name, error_type, attempt, started_at"),
            new Table(RetryStore.CHANGES, "kind, name, settings, changed_at, changed_by, ends_at, version"));

    /** A table, and the columns of it that are used. */
    private record Table(String name, String columns) {}

    private final SchemaSettings settings;

    private final ResourceLoader resources;

    StoreSchema(SchemaSettings settings, ResourceLoader resources) {
        this.settings = settings;
        this.resources = resources;
    }

    /**
     * Creates the tables, if they are to be created in this database.
     *
     * @param own whether the database is a file of our own, in which no other program creates tables
     */
    void initialize(DataSource dataSource, Database database, boolean own) {
        DatabaseInitializationSettings script = new DatabaseInitializationSettings();
        script.setSchemaLocations(List.of(settings.scriptFor(database)));
        script.setContinueOnError(settings.continueOnError());
        script.setMode(
                own
                        ? DatabaseInitializationMode.ALWAYS
                        : DatabaseInitializationMode.valueOf(settings.mode().name()));
        DataSourceScriptDatabaseInitializer initializer = new DataSourceScriptDatabaseInitializer(dataSource, script);
        initializer.setResourceLoader(resources);
        initializer.initializeDatabase();
    }

    /** What is wrong with the tables; {@code null} if they are as they should be. */
    @Nullable RetryFault check(DataSource dataSource, Database database) {
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        for (Table table : TABLES) {
            try {
                jdbc.query("select " + table.columns() + " from " + table.name() + " where 1 = 0", row -> {});
            } catch (DataAccessResourceFailureException ex) {
                throw ex;
            } catch (DataAccessException ex) {
                return new RetryFault(
                        Place.property("retryon.jdbc.initialize-schema"),
                        "is '" + settings.mode().name().toLowerCase(Locale.ROOT) + "', and table '" + table.name()
                                + "' can't be read (" + firstLine(ex.getMostSpecificCause()) + "); run "
                                + settings.scriptFor(database)
                                + " by Flyway, Liquibase or hand, or set the property to 'always'");
            }
        }
        return null;
    }

    private static String firstLine(Throwable error) {
        return String.valueOf(error.getMessage()).lines().findFirst().orElse("").trim();
    }
}
