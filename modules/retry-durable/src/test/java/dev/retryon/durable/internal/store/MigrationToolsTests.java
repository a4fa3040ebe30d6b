// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.UUID;
import liquibase.Contexts;
import liquibase.LabelExpression;
import liquibase.Liquibase;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.DirectoryResourceAccessor;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tables that Flyway or Liquibase create with a copy of our script, as the guide says. */
@Tag("database")
class MigrationToolsTests {

    @TempDir
    private Path folder;

    private static String database(String platform) {
        return switch (platform) {
            case "postgresql" -> TestPostgres.database();
            case "mysql" -> TestMySql.database();
            default -> "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;USER=sa;PASSWORD=";
        };
    }

    private void copyScript(String platform, String name) throws IOException {
        try (InputStream script =
                RetryStore.class.getResourceAsStream("/dev/retryon/durable/store/schema-" + platform + ".sql")) {
            Files.copy(script, folder.resolve(name));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql", "mysql"})
    void flyway(String platform) throws IOException {
        String url = database(platform);
        copyScript(platform, "V7__retryon.sql");

        Flyway flyway = Flyway.configure()
                .dataSource(url, null, null)
                .locations("filesystem:" + folder)
                .load();

        assertThat(flyway.migrate().migrationsExecuted).isEqualTo(1);
        assertThat(flyway.migrate().migrationsExecuted).isZero();
        assertWorks(url);
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql", "mysql"})
    void liquibase(String platform) throws Exception {
        String url = database(platform);
        copyScript(platform, "retryon.sql");
        Files.writeString(folder.resolve("changelog.yaml"), """
                databaseChangeLog:
                  - changeSet:
                      id: retryon
                      author: shop
                      changes:
                        - sqlFile:
                            path: retryon.sql
                """);

        try (Connection connection = DriverManager.getConnection(url);
                Liquibase liquibase = new Liquibase(
                        "changelog.yaml",
                        new DirectoryResourceAccessor(folder),
                        DatabaseFactory.getInstance()
                                .findCorrectDatabaseImplementation(new JdbcConnection(connection)))) {
            liquibase.update(new Contexts(), new LabelExpression());
        }

        assertWorks(url);
    }

    private static void assertWorks(String url) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        RetryDurableCoreAutoConfiguration.class,
                        RetryAutoConfiguration.class,
                        RetryDurableAutoConfiguration.class,
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class))
                .withPropertyValues("spring.datasource.url=" + url, "retryon.jdbc.initialize-schema=never")
                .run(context -> assertThat(
                                context.getBean(StoreChoice.class).get().calls().list(StoredCalls.Filter.ALL, null, 10))
                        .isNotNull());
    }
}
