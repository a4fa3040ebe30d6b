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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The errors of a real server, which the policy {@code jdbc-transient} knows without Spring's classes. */
@Tag("database")
@Timeout(120)
abstract class TransientErrors {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withUserConfiguration(VirtualTimeBeans.class)
            .withBean(Accounts.class);

    private String url;

    /** Returns the part of an error that names its kind. */
    abstract Object kindOf(SQLException error);

    final void twoAccounts(String database) throws SQLException {
        url = database;
        try (Connection connection = open()) {
            run(connection, "create table account (id int primary key, amount int)");
            run(connection, "insert into account values (1, 0), (2, 0)");
        }
    }

    final Connection open() throws SQLException {
        return DriverManager.getConnection(url);
    }

    final Connection begin() throws SQLException {
        Connection connection = open();
        connection.setAutoCommit(false);
        return connection;
    }

    static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    final void assertRetriedOnce(Object kind, Work work) {
        runner.run(context -> {
            Accounts accounts = context.getBean(Accounts.class);

            accounts.change(work);

            assertThat(accounts.attempts()).isEqualTo(2);
            assertThat(accounts.failure())
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            error -> assertThat(kindOf(error)).isEqualTo(kind));
            assertThat(context.getBean(RecordedRetries.class).time().waits())
                    .hasSizeLessThanOrEqualTo(1)
                    .allMatch(wait -> wait.compareTo(Duration.ofMillis(50)) <= 0);
        });
    }

    final void assertADuplicateKeyIsNotRetried(Object kind) {
        runner.run(context -> {
            Accounts accounts = context.getBean(Accounts.class);
            assertThatThrownBy(() -> accounts.change(attempt -> {
                        try (Connection ours = begin()) {
                            run(ours, "insert into account values (1, 0)");
                        }
                    }))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            error -> assertThat(kindOf(error)).isEqualTo(kind));
            assertThat(accounts.attempts()).isEqualTo(1);
        });
    }

    /** Changes an account that another transaction has locked in the first attempt, after other statements. */
    final Work behindALock(String... before) {
        return attempt -> {
            try (Connection ours = begin();
                    Connection other = begin()) {
                if (attempt == 1) {
                    run(other, "update account set amount = 5 where id = 1");
                }
                for (String sql : before) {
                    run(ours, sql);
                }
                run(ours, "update account set amount = 6 where id = 1");
                ours.commit();
            }
        };
    }

    /** Changes two accounts, in the first attempt while a rival changes them in the other order. */
    final Work inADeadlock(String before, String beforeRival) {
        return attempt -> {
            CompletableFuture<Void> rival = CompletableFuture.completedFuture(null);
            try (Connection ours = begin()) {
                run(ours, before);
                run(ours, "update account set amount = 1 where id = 1");
                if (attempt == 1) {
                    CountDownLatch locked = new CountDownLatch(1);
                    rival = CompletableFuture.runAsync(() -> changeTwoThenOne(beforeRival, locked));
                    locked.await();
                }
                run(ours, "update account set amount = 1 where id = 2");
                ours.commit();
            } finally {
                rival.join();
            }
        };
    }

    private void changeTwoThenOne(String before, CountDownLatch locked) {
        try (Connection connection = begin()) {
            run(connection, before);
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
