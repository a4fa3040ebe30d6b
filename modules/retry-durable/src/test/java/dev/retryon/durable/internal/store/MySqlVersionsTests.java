// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Versions of MySQL as their drivers describe them. The statements run on H2 or MariaDB. */
@ExtendWith(OutputCaptureExtension.class)
class MySqlVersionsTests {

    private static final String H2 = "jdbc:h2:mem:versions;DB_CLOSE_DELAY=-1";

    private static ApplicationContextRunner on(String version) {
        TestDatabase.store(TestDatabase.pool(H2, 1), Database.H2);
        return on(version, H2);
    }

    private static ApplicationContextRunner on(String version, String url) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        RetryDurableCoreAutoConfiguration.class,
                        RetryAutoConfiguration.class,
                        RetryDurableAutoConfiguration.class))
                .withBean(
                        DataSource.class,
                        () -> new Named(
                                url,
                                Map.of(
                                        "getDatabaseProductName",
                                        "MySQL",
                                        "getDatabaseProductVersion",
                                        version,
                                        "getURL",
                                        "jdbc:mysql://shop/orders?password=secret")))
                .withPropertyValues("retryon.jdbc.initialize-schema=never");
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.7.44-log", "8.0.0"})
    void aServerThatCannotSkipLockedRowsIsAFaultThatNamesItsVersion(String version) {
        on(version)
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(StoreChoice.class).get())
                        .hasMessageContaining("retryon.durable.store: is 'auto', but the database is MySQL " + version
                                + ", but must be MySQL 8.0.1 or newer"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"8.0.1", "8.0.mysql_aurora.3.08.0", "8.0.36-28", "8.3.0"})
    void anOldServerIsOneWarningThatCanBeSwitchedOff(String version, CapturedOutput output) {
        on(version)
                .run(context -> assertThat(
                                context.getBean(StoreChoice.class).get().database())
                        .isEqualTo(Database.MYSQL));

        assertThat(output)
                .containsOnlyOnce("RETRYON-W25: Calls are stored in MySQL " + version)
                .doesNotContain("secret");
        int warned = output.getAll().length();
        on(version)
                .withPropertyValues("retryon.warnings.ignore=W25")
                .run(context -> context.getBean(StoreChoice.class).get());
        assertThat(output.getAll().substring(warned)).doesNotContain("RETRYON-W25");
    }

    @ParameterizedTest
    @ValueSource(strings = {"8.4.0", "9.7.4-2", "10.0.0"})
    void aNewServerIsNoWarning(String version, CapturedOutput output) {
        on(version)
                .run(context -> assertThat(
                                context.getBean(StoreChoice.class).get().database())
                        .isEqualTo(Database.MYSQL));

        assertThat(output).doesNotContain("RETRYON-W");
    }

    /** Scripts of an application might create the tables in the character set of the database. */
    @Test
    @Tag("database")
    void textsThatDoNotStoreEveryCharacterAreAFaultThatNamesTheStatement() {
        String url = TestServer.MARIADB.database();
        try (HikariDataSource mariaDb = TestDatabase.pool(url, 1)) {
            TestDatabase.store(mariaDb, Database.MARIADB);
            JdbcTemplate jdbc = new JdbcTemplate(mariaDb);
            ContextConsumer<AssertableApplicationContext> chosen = context -> assertThat(
                            context.getBean(StoreChoice.class).get().database())
                    .isEqualTo(Database.MYSQL);
            on("8.4.0", url).run(chosen);

            jdbc.execute("alter table retryon_call modify error_message longtext character set latin1");
            on("8.4.0", url)
                    .run(context -> assertThatThrownBy(
                                    () -> context.getBean(StoreChoice.class).get())
                            .isInstanceOf(RetryConfigurationException.class)
                            .hasMessageContainingAll(
                                    "retryon.jdbc.schema: created table 'retryon_call', whose columns error_message do"
                                            + " not store every character",
                                    "ALTER TABLE retryon_call CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"));

            jdbc.execute("alter table retryon_call convert to character set utf8mb4 collate utf8mb4_bin");
            on("8.4.0", url).run(chosen);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "MySQL, 11.4.5-MariaDB, MARIADB",
        "MySQL, 5.5.5-10.6.1-MariaDB-log, MARIADB",
        "MariaDB, 11.8.3-MariaDB, MARIADB",
        "MySQL, 8.4.6, MYSQL",
        "PostgreSQL, 18.1, POSTGRESQL"
    })
    void theServerDecidesAndNotTheDriver(String name, String version, Database expected) {
        assertThat(new Database.Product(name, version, "").database()).isEqualTo(expected);
    }

    @Test
    void anotherDatabaseIsAFaultThatNamesThoseThatAreSupported() {
        assertThatThrownBy(() -> new Database.Product("Oracle", "23", "").database())
                .hasMessageContaining("'Oracle'")
                .hasMessageContaining("PostgreSQL, MariaDB, MySQL, SQLite, H2");
    }

    /** A database whose driver gives other answers. */
    private static final class Named extends DelegatingDataSource {

        private final Map<String, String> answers;

        Named(String url, Map<String, String> answers) {
            super(new DriverManagerDataSource(url));
            this.answers = answers;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            DatabaseMetaData metaData = connection.getMetaData();
            return proxy(
                    Connection.class,
                    connection,
                    Map.of("getMetaData", proxy(DatabaseMetaData.class, metaData, answers)));
        }

        private static <T> T proxy(Class<T> type, T target, Map<String, ?> answers) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(),
                    new Class<?>[] {type},
                    (proxy, method, args) -> answers.containsKey(method.getName())
                            ? answers.get(method.getName())
                            : method.invoke(target, args)));
        }
    }
}
