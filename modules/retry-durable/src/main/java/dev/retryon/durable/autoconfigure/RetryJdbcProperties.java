// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.durable.internal.store.SchemaSettings;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetryFaults.CheckedProperties;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.StringUtils;

/** Tables that store calls. Does not refer to Spring Boot's JDBC types, which may be absent. */
@ConfigurationProperties("retryon.jdbc")
class RetryJdbcProperties implements CheckedProperties {

    private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

    private static final int OWN_CONNECTIONS = 4;

    /** When to create the tables: only in in-memory databases, always, or never. */
    private SchemaSettings.Mode initializeSchema = SchemaSettings.Mode.EMBEDDED;

    /** Script that creates the tables, with "@@platform@@" for the name of the database. */
    private String schema = SchemaSettings.DEFAULT_SCRIPT;

    /** Value of "@@platform@@" in the path of the script. Detected from the database if not set. */
    private @Nullable String platform;

    /** Whether to continue the script after one of its statements has failed. */
    private boolean continueOnError;

    /**
     * Maximum number of connections, 0 or more, that RetryOn opens in addition to the application's pool, if that pool is a
     * HikariDataSource. They store calls and dead letters while their callers occupy a connection. 0 uses the application's
     * pool.
     */
    private int ownConnections = OWN_CONNECTIONS;

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

    @Override
    public void check(RetryFaults faults) {
        sharedSettings.pollInterval = RetryDurableProperties.checked(
                "retryon.jdbc.shared-settings.poll-interval", sharedSettings.pollInterval, POLL_INTERVAL, faults);
        if (ownConnections < 0) {
            faults.add("retryon.jdbc.own-connections", "is '" + ownConnections + "', but must be at least 0");
            ownConnections = OWN_CONNECTIONS;
        }
    }

    /** Records a fault if changes for all nodes are enabled without a database. */
    void checkNeeds(boolean isPossible, RetryFaults faults) {
        if (Boolean.TRUE.equals(sharedSettings.getEnabled()) && !isPossible) {
            faults.add(
                    "retryon.jdbc.shared-settings.enabled",
                    "is 'true', but this needs a database that all nodes share; configure a DataSource");
        }
    }

    /** Changes that operators apply to all nodes. */
    static class SharedSettings {

        /**
         * Whether operators can change settings for all nodes. If not set, they can if a method stores its calls in
         * the database.
         */
        private @Nullable Boolean enabled;

        /** Interval at which a node checks for changes that apply to all nodes. From 50ms to 1h. */
        private Duration pollInterval = POLL_INTERVAL;

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
        return new SchemaSettings(
                initializeSchema,
                StringUtils.hasText(schema) ? schema : SchemaSettings.DEFAULT_SCRIPT,
                StringUtils.hasText(platform) ? platform : null,
                continueOnError,
                application);
    }
}
