// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.RetryContext;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.test.RecordedRetries;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The policy {@code jdbc-transient} knows the errors of a real PostgreSQL by their SQLSTATE, without Spring's classes. */
@Tag("database")
@Timeout(120)
class TransientPostgresErrorsTests {

    private final String url = TestPostgres.database();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withUserConfiguration(VirtualTimeBeans.class)
            .withBean(Accounts.class);

    @BeforeEach
    void twoAccounts() throws SQLException {
        try (Connection connection = open()) {
            run(connection, "create table account (id int primary key, amount int)");
            run(connection, "insert into account values (1, 0), (2, 0)");
        }
    }

    private Connection open() throws SQLException {
        return DriverManager.getConnection(url);
    }

    private Connection begin() throws SQLException {
        Connection connection = open();
        connection.setAutoCommit(false);
        return connection;
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private void assertRetriedOnce(Work work, String state) {
        runner.run(context -> {
            Accounts accounts = context.getBean(Accounts.class);

            accounts.change(work);

            assertThat(accounts.failure()).isInstanceOf(SQLException.class);
            assertThat(((SQLException) accounts.failure()).getSQLState()).isEqualTo(state);
            assertThat(context.getBean(RecordedRetries.class).time().waits())
                    .hasSizeLessThanOrEqualTo(1)
                    .allMatch(wait -> wait.compareTo(Duration.ofMillis(50)) <= 0);
        });
    }

    @Test
    void aSerializationFailureIsRetried() {
        assertRetriedOnce(
                attempt -> {
                    try (Connection ours = begin();
                            Connection other = open()) {
                        ours.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                        run(ours, "select amount from account where id = 1");
                        if (attempt == 1) {
                            run(other, "update account set amount = amount + 1 where id = 1");
                        }
                        run(ours, "update account set amount = amount + 1 where id = 1");
                        ours.commit();
                    }
                },
                "40001");
    }

    @Test
    void aLockTimeoutIsRetried() {
        assertRetriedOnce(
                attempt -> {
                    try (Connection ours = begin();
                            Connection other = begin()) {
                        if (attempt == 1) {
                            run(other, "update account set amount = 5 where id = 1");
                        }
                        run(ours, "set local lock_timeout = '20ms'");
                        run(ours, "update account set amount = 6 where id = 1");
                        ours.commit();
                    }
                },
                "55P03");
    }

    @Test
    void theVictimOfADeadlockIsRetried() {
        assertRetriedOnce(
                attempt -> {
                    CompletableFuture<Void> rival = CompletableFuture.completedFuture(null);
                    try (Connection ours = begin()) {
                        // Who looks for deadlocks first is the victim.
                        run(ours, "set local deadlock_timeout = '20ms'");
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
                "40P01");
    }

    private void lockTwoThenOne(CountDownLatch locked) {
        try (Connection connection = begin()) {
            run(connection, "set local deadlock_timeout = '60s'");
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

    @Test
    void aDuplicateKeyIsNotRetried() {
        runner.run(context -> {
            Accounts accounts = context.getBean(Accounts.class);
            assertThatThrownBy(() -> accounts.change(attempt -> {
                        try (Connection ours = open()) {
                            run(ours, "insert into account values (1, 0)");
                        }
                    }))
                    .isInstanceOf(SQLException.class);
            assertThat(accounts.attempts()).isEqualTo(1);
        });
    }

    /** The body of an attempt. */
    @FunctionalInterface
    interface Work {

        void run(int attempt) throws Exception;
    }

    static class Accounts {

        private int attempts;

        private Throwable failure = new AssertionError("no attempt has failed");

        int attempts() {
            return attempts;
        }

        Throwable failure() {
            return failure;
        }

        @RetryOn(policy = "jdbc-transient")
        public void change(Work work) throws Exception {
            attempts++;
            RetryContext context = RetryContext.current();
            Throwable before = context.lastError();
            if (before != null) {
                failure = before;
            }
            work.run(context.attempt());
        }
    }
}
