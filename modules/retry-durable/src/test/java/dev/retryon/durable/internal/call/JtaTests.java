// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.arjuna.ats.arjuna.common.CoreEnvironmentBeanException;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import dev.retryon.RetryContext;
import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.UserTransaction;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import javax.sql.DataSource;
import javax.sql.XAConnection;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Applications with JTA transactions, by Narayana: with a data source that takes part in them, and with one that does not. */
class JtaTests {

    @BeforeAll
    static void keepLogsOfTransactionsInTarget(@TempDir Path folder) throws CoreEnvironmentBeanException {
        arjPropertyManager.getObjectStoreEnvironmentBean().setObjectStoreDir(folder.toString());
        arjPropertyManager.getCoreEnvironmentBean().setNodeIdentifier("retryon");
    }

    private static ApplicationContextRunner application(Class<?> dataSource) {
        return DurableTrial.application()
                .withPropertyValues("retryon.jdbc.initialize-schema=always")
                .withUserConfiguration(dataSource, Jta.class);
    }

    private static TransactionTemplate transaction(ApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    private static void createShop(ApplicationContext context) {
        new JdbcTemplate(context.getBean(DataSource.class)).execute("create table shop (name varchar(100))");
    }

    private static void sell(ApplicationContext context) {
        new JdbcTemplate(context.getBean(DataSource.class)).update("insert into shop values ('sold')");
    }

    @Test
    void anOutboxCallIsPartOfTheTransaction() {
        application(Xa.class).withBean(Outbox.class).run(context -> {
            createShop(context);
            Outbox mails = context.getBean(Outbox.class);

            transaction(context).executeWithoutResult(status -> {
                sell(context);
                mails.send("rolled back");
                status.setRollbackOnly();
            });
            transaction(context).executeWithoutResult(status -> {
                sell(context);
                mails.send("committed");
            });
            mails.send("without a transaction");

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(mails.sent()).containsExactlyInAnyOrder("committed", "without a transaction");
        });
    }

    @Test
    void aTransactionThatSpringDidNotBeginIsJoinedToo() {
        application(Xa.class).withBean(Outbox.class).run(context -> {
            Outbox mails = context.getBean(Outbox.class);
            UserTransaction user = context.getBean(UserTransaction.class);

            user.begin();
            mails.send("rolled back");
            user.rollback();
            user.begin();
            mails.send("committed");
            user.commit();

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(mails.sent()).containsExactly("committed");
        });
    }

    @Test
    void callsAreStoredAfterTheEndOfATransaction() {
        application(Xa.class).withBean(Outbox.class).run(context -> {
            Outbox mails = context.getBean(Outbox.class);

            transaction(context)
                    .executeWithoutResult(status ->
                            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                                @Override
                                public void afterCommit() {
                                    mails.send("after the commit");
                                }

                                @Override
                                public void afterCompletion(int end) {
                                    mails.send("after completion");
                                }
                            }));

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(mails.sent()).containsExactlyInAnyOrder("after the commit", "after completion");
        });
    }

    @Test
    void retriesAndDeadLettersAreApartFromTheTransaction() {
        for (Class<?> dataSource : List.of(Xa.class, Plain.class)) {
            application(dataSource).withBean(OnFailure.class).run(context -> {
                createShop(context);
                OnFailure mails = context.getBean(OnFailure.class);

                transaction(context).executeWithoutResult(status -> {
                    sell(context);
                    mails.sendLater("17");
                    assertThat(catchThrowable(mails::die)).hasMessage("down");
                    status.setRollbackOnly();
                });

                await().until(() -> DurableTrial.stored(context) == 0);
                assertThat(mails.sent()).containsExactly("17");
                assertThat(DurableTrial.deadLetters(context)).hasSize(1);
            });
        }
    }

    @Test
    void aDataSourceThatTakesNoPartInJtaIsAFaultForAnOutbox() {
        application(Plain.class)
                .withBean(Outbox.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("which does not take part in the application's transactions")
                        .hasMessageContaining("set retryon.durable.outbox-apart=true"));
    }

    @ParameterizedTest
    @ValueSource(classes = {Xa.class, Plain.class})
    void anErrorMeansThatTheCallIsNotStored(Class<?> dataSource) {
        application(dataSource)
                .withBean(OnFailure.class)
                .withPropertyValues("retryon.durable.outbox-apart=true")
                .withBean(Outbox.class)
                .run(context -> {
                    Outbox mails = context.getBean(Outbox.class);
                    OnFailure others = context.getBean(OnFailure.class);
                    Map<String, Throwable> errors = new ConcurrentHashMap<>();

                    // A caller that catches the error and commits.
                    transaction(context).executeWithoutResult(status -> {
                        record(errors, "17", () -> mails.send("17"));
                        record(errors, "18", () -> others.sendLater("18"));
                    });

                    await().until(() -> DurableTrial.stored(context) == 0);
                    assertThat(Stream.of(mails.sent(), others.sent()).flatMap(List::stream))
                            .as("calls that ran, beside the errors %s", errors)
                            .noneMatch(errors::containsKey);
                    assertThat(errors).isEmpty();
                    assertThat(mails.sent()).containsExactly("17");
                    assertThat(others.sent()).containsExactly("18");
                });
    }

    private static void record(Map<String, Throwable> errors, String id, ThrowingCallable call) {
        Throwable error = catchThrowable(call);
        if (error != null) {
            errors.put(id, error);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Jta {

        @Bean
        TransactionManager narayana() {
            return com.arjuna.ats.jta.TransactionManager.transactionManager();
        }

        @Bean
        UserTransaction narayanaUser() {
            return com.arjuna.ats.jta.UserTransaction.userTransaction();
        }

        @Bean
        JtaTransactionManager transactionManager(UserTransaction user, TransactionManager manager) {
            return new JtaTransactionManager(user, manager);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Xa {

        @Bean
        DataSource dataSource(TransactionManager manager) {
            JdbcDataSource h2 = new JdbcDataSource();
            h2.setURL("jdbc:h2:mem:xa" + System.nanoTime() + ";DB_CLOSE_DELAY=-1");
            return new XaPool(h2, manager);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Plain {

        @Bean
        DataSource dataSource() {
            return new DriverManagerDataSource("jdbc:h2:mem:plain" + System.nanoTime() + ";DB_CLOSE_DELAY=-1");
        }
    }

    /** As a pool of an application server: a connection that is taken in a transaction takes part in it. */
    private static final class XaPool extends AbstractDataSource {

        private final JdbcDataSource h2;

        private final TransactionManager manager;

        private final Map<Transaction, Connection> taken = new ConcurrentHashMap<>();

        XaPool(JdbcDataSource h2, TransactionManager manager) {
            this.h2 = h2;
            this.manager = manager;
        }

        @Override
        public Connection getConnection() throws SQLException {
            try {
                Transaction transaction = manager.getTransaction();
                if (transaction == null || transaction.getStatus() != Status.STATUS_ACTIVE) {
                    return h2.getConnection();
                }
                Connection known = taken.get(transaction);
                if (known == null) {
                    known = enlisted(transaction);
                    taken.put(transaction, known);
                }
                return known;
            } catch (SystemException | RollbackException ex) {
                throw new SQLException(ex);
            }
        }

        private Connection enlisted(Transaction transaction) throws SQLException, SystemException, RollbackException {
            XAConnection xa = h2.getXAConnection();
            transaction.enlistResource(xa.getXAResource());
            Connection connection = xa.getConnection();
            transaction.registerSynchronization(new Synchronization() {
                @Override
                public void beforeCompletion() {}

                @Override
                public void afterCompletion(int status) {
                    taken.remove(transaction);
                    try {
                        xa.close();
                    } catch (SQLException ex) {
                        throw new IllegalStateException(ex);
                    }
                }
            });
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        switch (method.getName()) {
                            case "close":
                                return null;
                            case "commit", "rollback", "setAutoCommit":
                                throw new SQLException(method.getName() + " is not allowed in a JTA transaction");
                            default:
                                try {
                                    return method.invoke(connection, arguments);
                                } catch (InvocationTargetException ex) {
                                    throw ex.getCause();
                                }
                        }
                    });
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }
    }

    static class Outbox {

        private final List<String> sent = new CopyOnWriteArrayList<>();

        List<String> sent() {
            return sent;
        }

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void send(String id) {
            sent.add(id);
        }
    }

    static class OnFailure {

        private final List<String> sent = new CopyOnWriteArrayList<>();

        List<String> sent() {
            return sent;
        }

        @RetryOn(IllegalStateException.class)
        @Durable(ON_FAILURE)
        public void sendLater(String id) {
            if (RetryContext.current().attempt() == 1) {
                throw new IllegalStateException("down");
            }
            sent.add(id);
        }

        @RetryOn(value = IOException.class, maxAttempts = 1)
        @Durable(ON_EXHAUSTION)
        public void die() {
            throw new IllegalStateException("down");
        }
    }
}
