// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.durable.internal.store.TransientPostgresErrorsTests.Accounts;
import dev.retryon.durable.internal.store.TransientPostgresErrorsTests.Work;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The policy {@code jdbc-transient} knows the errors of real MySQL and MariaDB servers, with the driver of each. */
@Tag("database")
@Timeout(120)
class TransientMySqlErrorsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withUserConfiguration(VirtualTimeBeans.class)
            .withBean(Accounts.class);

    private String url;

    private void twoAccounts(TestServer server, String driver) throws SQLException {
        url = server.database(driver);
        try (Connection connection = begin()) {
            run(connection, "create table account (id int primary key, amount int)");
            run(connection, "insert into account values (1, 0), (2, 0)");
            connection.commit();
        }
    }

    private Connection begin() throws SQLException {
        Connection connection = DriverManager.getConnection(url);
        connection.setAutoCommit(false);
        return connection;
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void assertRetriedOnce(Work work, int code) {
        runner.run(context -> {
            Accounts accounts = context.getBean(Accounts.class);

            accounts.change(work);

            assertThat(accounts.attempts()).isEqualTo(2);
            assertThat(accounts.failure()).isInstanceOf(SQLException.class);
            assertThat(((SQLException) accounts.failure()).getErrorCode()).isEqualTo(code);
        });
    }

    @ParameterizedTest
    @CsvSource({"MYSQL, mysql", "MYSQL, mariadb", "MARIADB, mariadb", "MARIADB, mysql"})
    void theVictimOfADeadlockIsRetried(TestServer server, String driver) throws SQLException {
        twoAccounts(server, driver);
        assertRetriedOnce(
                attempt -> {
                    CompletableFuture<Void> rival = CompletableFuture.completedFuture(null);
                    try (Connection ours = begin()) {
                        run(ours, "update account set amount = 1 where id = 1");
                        if (attempt == 1) {
                            CountDownLatch locked = new CountDownLatch(1);
                            rival = CompletableFuture.runAsync(() -> lockTwoThenOne(locked));
                            locked.await();
                        }
                        run(ours, "update account set amount = 1 where id = 2");
                        ours.commit();
                    } finally {
                        rival.join();
                    }
                },
                1213);
    }

    /** The transaction that has changed fewer rows is the victim. */
    private void lockTwoThenOne(CountDownLatch locked) {
        try (Connection connection = begin()) {
            run(connection, "insert into account values (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0)");
            run(connection, "update account set amount = 2 where id = 2");
            locked.countDown();
            run(connection, "update account set amount = 2 where id = 1");
            connection.commit();
        } catch (SQLException ex) {
            throw new CompletionException(ex);
        } finally {
            locked.countDown();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "MYSQL, mysql, '', 1205",
        "MYSQL, mariadb, '', 1205",
        "MYSQL, mysql, nowait, 3572",
        "MYSQL, mariadb, nowait, 3572",
        "MARIADB, mariadb, '', 1205",
        "MARIADB, mysql, nowait, 1205"
    })
    void aLockTimeoutIsRetried(TestServer server, String driver, String wait, int code) throws SQLException {
        twoAccounts(server, driver);
        assertRetriedOnce(
                attempt -> {
                    try (Connection ours = begin();
                            Connection other = begin()) {
                        if (attempt == 1) {
                            run(other, "update account set amount = 5 where id = 1");
                        }
                        run(ours, "set session innodb_lock_wait_timeout = 1");
                        run(ours, "select amount from account where id = 1 for update " + wait);
                        run(ours, "update account set amount = 6 where id = 1");
                        ours.commit();
                    }
                },
                code);
    }

    @ParameterizedTest
    @CsvSource({"MYSQL, mysql", "MYSQL, mariadb", "MARIADB, mariadb", "MARIADB, mysql"})
    void aDuplicateKeyIsNotRetried(TestServer server, String driver) throws SQLException {
        twoAccounts(server, driver);
        runner.run(context -> {
            Accounts accounts = context.getBean(Accounts.class);
            assertThatThrownBy(() -> accounts.change(attempt -> {
                        try (Connection ours = begin()) {
                            run(ours, "insert into account values (1, 0)");
                        }
                    }))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            duplicate -> assertThat(duplicate.getErrorCode()).isEqualTo(1062));
            assertThat(accounts.attempts()).isEqualTo(1);
        });
    }
}
