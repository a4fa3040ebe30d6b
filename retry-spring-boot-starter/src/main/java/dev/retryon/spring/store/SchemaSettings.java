/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.store;

import org.jspecify.annotations.Nullable;

/**
 * How the tables come into being.
 *
 * @param mode whether they are created
 * @param script the script, with {@code @@platform@@} for the name of the database
 * @param platform what {@code @@platform@@} stands for; {@code null} for the database that is found
 * @param continueOnError whether the rest of a script is run when a statement of it has failed
 * @since 0.1.0
 */
public record SchemaSettings(
        Mode mode, String script, @Nullable String platform, boolean continueOnError) {

    /** Whether the tables are created: {@code retryon.jdbc.initialize-schema}. */
    public enum Mode {
        /** In a database that lives in memory only. */
        EMBEDDED,

        /** In any database. */
        ALWAYS,

        /** By another tool, such as Flyway or Liquibase. */
        NEVER
    }

    /** The scripts that are part of RetryOn. */
    public static final String DEFAULT_SCRIPT = "classpath:dev/retryon/spring/store/schema-@@platform@@.sql";

    /**
     * The script for a database.
     *
     * @param database the database
     * @return its location
     */
    String scriptFor(Database database) {
        return script.replace("@@platform@@", platform == null ? database.platform() : platform);
    }
}
