// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.durable.internal.store.SchemaSettings;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetryFaults.CheckedProperties;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.StringUtils;

/**
 * The tables that store calls. This class does not refer to Spring Boot's JDBC types, because they can be absent.
 *
 * @param initializeSchema When to create the tables: only in in-memory databases, always, or never.
 * @param schema Script that creates the tables, with "@@platform@@" for the name of the database.
 * @param platform Value of "@@platform@@" in the path of the script. If not set, the value is detected from the
 *     database.
 * @param continueOnError Whether to continue the script after one of its statements has failed.
 * @param ownConnections Maximum number of connections, 0 or more, that RetryOn opens in addition to the application's
 *     pool, if that pool is a HikariDataSource. These connections are used to store calls and dead letters while the
 *     callers occupy a connection of the pool. With 0, RetryOn uses only the application's pool.
 */
@ConfigurationProperties("retryon.jdbc")
record RetryJdbcProperties(
        @DefaultValue("embedded") SchemaSettings.Mode initializeSchema,
        @DefaultValue(SchemaSettings.DEFAULT_SCRIPT) String schema,
        @Nullable String platform,
        @DefaultValue("false") boolean continueOnError,
        @DefaultValue("4") int ownConnections,
        @DefaultValue SharedSettings sharedSettings)
        implements CheckedProperties {

    @Override
    public RetryJdbcProperties checked(RetryFaults faults) {
        RetryJdbcProperties usual = new Binder().bindOrCreate("usual", RetryJdbcProperties.class);
        Duration interval = RetryDurableProperties.interval(
                "retryon.jdbc.shared-settings.poll-interval",
                sharedSettings.pollInterval,
                usual.sharedSettings.pollInterval,
                faults);
        if (ownConnections < 0) {
            faults.add("retryon.jdbc.own-connections", "is '" + ownConnections + "', but must be at least 0");
        }
        return new RetryJdbcProperties(
                initializeSchema,
                schema,
                platform,
                continueOnError,
                ownConnections < 0 ? usual.ownConnections : ownConnections,
                new SharedSettings(sharedSettings.enabled, interval));
    }

    /** Records a fault if changes for all nodes are enabled without a database. */
    void checkNeeds(boolean isPossible, RetryFaults faults) {
        if (Boolean.TRUE.equals(sharedSettings.enabled) && !isPossible) {
            faults.add(
                    "retryon.jdbc.shared-settings.enabled",
                    "is 'true', but this needs a database that all nodes share; configure a DataSource");
        }
    }

    /**
     * Changes that operators apply to all nodes.
     *
     * @param enabled Whether operators can change settings for all nodes. If not set, operators can change settings
     *     for all nodes if a method stores its calls in the database.
     * @param pollInterval Interval, from 50ms to 1h, at which a node checks for changes that apply to all nodes.
     */
    record SharedSettings(
            @Nullable Boolean enabled, @DefaultValue("1s") Duration pollInterval) {}

    SchemaSettings toSettings(@Nullable String application) {
        return new SchemaSettings(
                initializeSchema,
                StringUtils.hasText(schema) ? schema : SchemaSettings.DEFAULT_SCRIPT,
                StringUtils.hasText(platform) ? platform : null,
                continueOnError,
                application);
    }
}
