// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.RetryContext;
import dev.retryon.durable.Durable;
import dev.retryon.durable.RetryDataSource;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Calls in transactions of an application that has two databases and two transaction managers. */
class CallerTransactionTests {

    private static ApplicationContextRunner application(Class<?> managers) {
        return DurableTrial.inMemory()
                .withPropertyValues("retryon.jdbc.initialize-schema=always")
                .withUserConfiguration(managers)
                .withBean(Mails.class);
    }

    private static TransactionTemplate transaction(ApplicationContext context, String manager) {
        return new TransactionTemplate(context.getBean(manager, PlatformTransactionManager.class));
    }

    @ParameterizedTest
    @ValueSource(classes = {MarkedManager.class, UnmarkedManager.class})
    void anOutboxCallInATransactionOfAnotherDatabaseIsRefused(Class<?> managers) {
        application(managers).run(context -> {
            Mails mails = context.getBean(Mails.class);

            transaction(context, "tm1").executeWithoutResult(status -> {
                assertThatThrownBy(() -> mails.send("17"))
                        .isInstanceOf(IllegalTransactionStateException.class)
                        .hasMessageContaining(
                                "its caller's transaction is not in the database that stores calls" + " (H2)")
                        .hasMessageContaining("@RetryDataSource")
                        .hasMessageContaining("retryon.durable.outbox-apart=true");
                status.setRollbackOnly();
            });
            mails.send("18");

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(mails.sent()).containsExactly("18");
        });
    }

    @ParameterizedTest
    @ValueSource(classes = {MarkedManager.class, UnmarkedManager.class})
    void anOutboxCallIsPartOfATransactionOfTheStoresDatabase(Class<?> managers) {
        application(managers).run(context -> {
            Mails mails = context.getBean(Mails.class);

            transaction(context, "tm2").executeWithoutResult(status -> {
                mails.send("17");
                status.setRollbackOnly();
            });
            // The inner transaction is the one that the call is part of.
            transaction(context, "tm1")
                    .executeWithoutResult(
                            outer -> transaction(context, "tm2").executeWithoutResult(inner -> mails.send("18")));

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(mails.sent()).containsExactly("18");
        });
    }

    @Test
    void anOutboxCallAfterACommitOfAnotherDatabaseIsStored() {
        application(MarkedManager.class).run(context -> {
            Mails mails = context.getBean(Mails.class);

            transaction(context, "tm1").executeWithoutResult(status -> AfterCommit.run(() -> mails.send("17")));

            await().until(() -> mails.sent().size() == 1);
        });
    }

    @Test
    void whereThatDoesNoHarmOutboxCallsAreStoredApart() {
        application(MarkedManager.class)
                .withPropertyValues("retryon.durable.outbox-apart=true")
                .run(context -> {
                    Mails mails = context.getBean(Mails.class);

                    transaction(context, "tm1").executeWithoutResult(status -> {
                        mails.send("17");
                        status.setRollbackOnly();
                    });

                    await().until(() -> mails.sent().size() == 1);
                });
    }

    @Test
    void anOrderedCallThatIsStoredApartGetsItsPlaceImmediately() {
        application(MarkedManager.class)
                .withPropertyValues("retryon.durable.outbox-apart=true")
                .run(context -> {
                    Mails mails = context.getBean(Mails.class);

                    transaction(context, "tm1").executeWithoutResult(status -> {
                        mails.sendInOrder("1");
                        assertThat(CompletableFuture.runAsync(
                                        () -> mails.sendInOrder("2"), task -> new Thread(task).start()))
                                .succeedsWithin(Duration.ofSeconds(10));
                        mails.sendInOrder("3");
                        status.setRollbackOnly();
                    });

                    await().until(() -> mails.sent().size() == 3);
                    assertThat(mails.sent()).containsExactly("1", "2", "3");
                });
    }

    @Test
    void aRetryThatIsToJoinATransactionOfAnotherDatabaseIsRefused() {
        application(MarkedManager.class)
                .withPropertyValues("retryon.durable.transaction=join")
                .run(context -> {
                    Mails mails = context.getBean(Mails.class);

                    transaction(context, "tm1")
                            .executeWithoutResult(status -> assertThatThrownBy(() -> mails.sendLater("17"))
                                    .isInstanceOf(IOException.class)
                                    .satisfies(error -> assertThat(error.getSuppressed())
                                            .hasAtLeastOneElementOfType(IllegalTransactionStateException.class)));

                    assertThat(DurableTrial.stored(context)).isZero();
                    assertThat(mails.sent()).isEmpty();
                });
    }

    @Test
    void aRetryOfItsOwnTransactionIsStoredWhateverTheCallersIs() {
        application(MarkedManager.class).run(context -> {
            Mails mails = context.getBean(Mails.class);

            for (String manager : List.of("tm1", "tm2")) {
                transaction(context, manager).executeWithoutResult(status -> {
                    mails.sendLaterUnchecked(manager);
                    status.setRollbackOnly();
                });
            }

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(mails.sent()).containsExactlyInAnyOrder("tm1", "tm2");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDatabases {

        @Bean
        @Primary
        DataSource shop() {
            return database("shop");
        }

        @Bean
        @RetryDataSource
        DataSource calls() {
            return database("calls");
        }

        private static DataSource database(String name) {
            return new DriverManagerDataSource("jdbc:h2:mem:" + name + System.nanoTime() + ";DB_CLOSE_DELAY=-1");
        }

        @Bean
        @Primary
        JdbcTransactionManager tm1(DataSource shop) {
            return new JdbcTransactionManager(shop);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MarkedManager extends TwoDatabases {

        @Bean
        @RetryDataSource
        JdbcTransactionManager tm2(@RetryDataSource DataSource calls) {
            return new JdbcTransactionManager(calls);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class UnmarkedManager extends TwoDatabases {

        @Bean
        JdbcTransactionManager tm2(@RetryDataSource DataSource calls) {
            return new JdbcTransactionManager(calls);
        }
    }

    /** Does something when the transaction of the thread is committed. */
    static final class AfterCommit implements TransactionSynchronization {

        private final Runnable action;

        private AfterCommit(Runnable action) {
            this.action = action;
        }

        static void run(Runnable action) {
            TransactionSynchronizationManager.registerSynchronization(new AfterCommit(action));
        }

        @Override
        public void afterCommit() {
            action.run();
        }
    }

    static class Mails {

        private final List<String> sent = new CopyOnWriteArrayList<>();

        List<String> sent() {
            return sent;
        }

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void send(String id) {
            sent.add(id);
        }

        @RetryOn(IOException.class)
        @Durable(value = OUTBOX, orderKey = "'all'")
        public void sendInOrder(String id) {
            sent.add(id);
        }

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void sendLater(String id) throws IOException {
            if (RetryContext.current().attempt() == 1) {
                throw new IOException("down");
            }
            sent.add(id);
        }

        @RetryOn(IllegalStateException.class)
        @Durable(ON_FAILURE)
        public void sendLaterUnchecked(String id) {
            if (RetryContext.current().attempt() == 1) {
                throw new IllegalStateException("down");
            }
            sent.add(id);
        }
    }
}
