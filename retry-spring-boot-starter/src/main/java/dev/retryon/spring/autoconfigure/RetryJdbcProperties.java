/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.backoff.DurationText;
import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.store.SchemaSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The tables that calls are kept in. Knows nothing of Boot's types for that, which may not be there. */
class RetryJdbcProperties {

    private static final Duration SHORTEST = Duration.ofMillis(50);

    private static final Duration LONGEST = Duration.ofHours(1);

    /** Whether the tables are created: in databases that live in memory only, always or never. */
    private SchemaSettings.Mode initializeSchema = SchemaSettings.Mode.EMBEDDED;

    /** Script that creates the tables, with "@@platform@@" for the name of the database. */
    private String schema = SchemaSettings.DEFAULT_SCRIPT;

    /** What "@@platform@@" stands for. Default: the database that is found. */
    private @Nullable String platform;

    /** Whether the script goes on when a statement of it has failed. */
    private boolean continueOnError;

    /**
     * Maximum number of connections that RetryOn opens, beside those of the application's connection pool, to store calls and
     * dead letters whose callers hold a connection. Only if the pool is a HikariDataSource. 0 uses the application's pool.
     */
    private int ownConnections = 4;

    private final SharedSettings sharedSettings = new SharedSettings();

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

    public int getOwnConnections() {
        return ownConnections;
    }

    public void setOwnConnections(int ownConnections) {
        this.ownConnections = ownConnections;
    }

    public SharedSettings getSharedSettings() {
        return sharedSettings;
    }

    /** Records what is wrong. */
    void check(boolean isPossible, RetryFaults faults) {
        Duration interval = sharedSettings.getPollInterval();
        if (interval.compareTo(SHORTEST) < 0 || interval.compareTo(LONGEST) > 0) {
            faults.add(
                    "retryon.jdbc.shared-settings.poll-interval",
                    "is '" + DurationText.print(interval) + "', but must be from 50ms to 1h");
        }
        if (ownConnections < 0) {
            faults.add("retryon.jdbc.own-connections", "is '" + ownConnections + "', but must be at least 0");
        }
        if (Boolean.TRUE.equals(sharedSettings.getEnabled()) && !isPossible) {
            faults.add(
                    "retryon.jdbc.shared-settings.enabled",
                    "is 'true', but this needs a database that all nodes share; add"
                            + " org.springframework.boot:spring-boot-starter-jdbc");
        }
    }

    /** Changes of settings that an operator makes for all nodes. */
    static class SharedSettings {

        /** Whether changes can be made for all nodes. Default: where a method keeps its calls in the database. */
        private @Nullable Boolean enabled;

        /** How often a node looks for changes that were made for all nodes. */
        private Duration pollInterval = Duration.ofSeconds(5);

        public @Nullable Boolean getEnabled() {
            return enabled;
        }

        public void setEnabled(@Nullable Boolean enabled) {
            this.enabled = enabled;
        }

        public Duration getPollInterval() {
            return pollInterval;
        }

        public void setPollInterval(Duration pollInterval) {
            this.pollInterval = pollInterval;
        }
    }

    SchemaSettings toSettings(@Nullable String application) {
        return new SchemaSettings(initializeSchema, schema, platform, continueOnError, application);
    }
}
