/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.store.SchemaSettings;
import org.jspecify.annotations.Nullable;

/** The tables that calls are kept in. Knows nothing of Boot's types for that, which may not be there. */
class RetryJdbcProperties {

    /** Whether the tables are created: in databases that live in memory only, always or never. */
    private SchemaSettings.Mode initializeSchema = SchemaSettings.Mode.EMBEDDED;

    /** Script that creates the tables, with "@@platform@@" for the name of the database. */
    private String schema = SchemaSettings.DEFAULT_SCRIPT;

    /** What "@@platform@@" stands for. Default: the database that is found. */
    private @Nullable String platform;

    /** Whether the script goes on when a statement of it has failed. */
    private boolean continueOnError;

    public SchemaSettings.Mode getInitializeSchema() {
        return initializeSchema;
    }

    public void setInitializeSchema(SchemaSettings.Mode initializeSchema) {
        this.initializeSchema = initializeSchema;
    }

    public String getSchema() {
        return schema;
    }

    public void setSchema(String schema) {
        this.schema = schema;
    }

    public @Nullable String getPlatform() {
        return platform;
    }

    public void setPlatform(@Nullable String platform) {
        this.platform = platform;
    }

    public boolean isContinueOnError() {
        return continueOnError;
    }

    public void setContinueOnError(boolean continueOnError) {
        this.continueOnError = continueOnError;
    }

    SchemaSettings toSettings() {
        return new SchemaSettings(initializeSchema, schema, platform, continueOnError);
    }
}
