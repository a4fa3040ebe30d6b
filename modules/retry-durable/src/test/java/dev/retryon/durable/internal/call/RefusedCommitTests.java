// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A database that refuses a commit and leaves the transaction open, as SQLite does while another connection reads. */
class RefusedCommitTests {

    @TempDir
    private Path folder;

    @Test
    void aCallWhoseCommitIsRefusedIsNotStored() {
        inTransaction("jdbc:h2:mem:refusing" + System.nanoTime() + ";DB_CLOSE_DELAY=-1", Runnable::run);
    }

    @Test
    void norIsOneThatFailsAfterTheTransactionOnSqlite() {
        inTransaction(
                "jdbc:sqlite:" + folder.resolve("calls.db"),
                work -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        work.run();
                    }
                }));
    }

    /** Makes a failing call in a transaction, or when the transaction has ended. */
    private static void inTransaction(String url, Consumer<Runnable> phase) {
        DurableTrial.inMemory()
                .withPropertyValues("retryon.jdbc.initialize-schema=always", "retryon.jdbc.own-connections=0")
                .withBean(Refusing.class, url)
                .withBean(Mails.class)
                .run(context -> {
                    Refusing database = context.getBean(Refusing.class);
                    Mails mails = context.getBean(Mails.class);

                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                            .executeWithoutResult(status -> phase.accept(() -> {
                                database.isRefusing = true;
                                assertThat(catchThrowable(mails::send)).hasMessage("down");
                                database.isRefusing = false;
                            }));

                    assertThat(database.refusals).isPositive();
                    assertThat(DurableTrial.stored(context)).isZero();
                });
    }

    static class Mails {

        @RetryOn(value = IllegalStateException.class, delay = "1h", maxDelay = "1h")
        @Durable(ON_FAILURE)
        public void send() {
            throw new IllegalStateException("down");
        }
    }

    /** Refuses the commits of the thread of the test only, because workers use the database too. */
    static class Refusing extends DelegatingDataSource {

        private final Thread refused = Thread.currentThread();

        private volatile boolean isRefusing;

        private volatile int refusals;

        Refusing(String url) {
            super(new DriverManagerDataSource(url));
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("commit") && isRefusing && Thread.currentThread() == refused) {
                            refusals = refusals + 1;
                            throw new SQLException("the database is locked");
                        }
                        try {
                            return method.invoke(connection, arguments);
                        } catch (InvocationTargetException ex) {
                            throw ex.getCause();
                        }
                    });
        }
    }
}
