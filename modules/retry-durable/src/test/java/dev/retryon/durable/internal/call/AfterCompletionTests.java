// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.RetryContext;
import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PostPersist;
import java.io.IOException;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Calls from listeners that run after the end of a transaction, with a pool whose connections do not commit by themselves. */
@Tag("slow")
class AfterCompletionTests {

    static Stream<Arguments> transactionManagers() {
        return Stream.of(Jdbc.class, OldJdbc.class, Jpa.class)
                .flatMap(kind -> Stream.of("requires-new", "join").map(mode -> Arguments.of(kind, mode)));
    }

    private static ApplicationContextRunner application(Class<?> transactionManager, String mode) {
        return DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.hikari.auto-commit=false",
                        "spring.datasource.hikari.connection-timeout=3000",
                        "retryon.durable.transaction=" + mode)
                .withUserConfiguration(transactionManager, Listeners.class)
                .withBean(Mails.class);
    }

    private static TransactionTemplate transaction(ApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    @ParameterizedTest
    @MethodSource("transactionManagers")
    void callsAreStoredAfterACommit(Class<?> transactionManager, String mode) {
        application(transactionManager, mode).run(context -> {
            transaction(context).executeWithoutResult(status -> context.publishEvent("17"));

            // Both listeners make both kinds of calls.
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(context.getBean(Mails.class).sent())
                    .containsExactlyInAnyOrder(
                            "AFTER_COMMIT 17",
                            "AFTER_COMPLETION 17",
                            "AFTER_COMMIT 17 again",
                            "AFTER_COMPLETION 17 again");
        });
    }

    @ParameterizedTest
    @MethodSource("transactionManagers")
    void callsAreStoredAfterARollback(Class<?> transactionManager, String mode) {
        application(transactionManager, mode).run(context -> {
            transaction(context).executeWithoutResult(status -> {
                context.publishEvent("17");
                status.setRollbackOnly();
            });

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(context.getBean(Mails.class).sent())
                    .containsExactlyInAnyOrder("AFTER_COMPLETION 17", "AFTER_COMPLETION 17 again");
        });
    }

    @ParameterizedTest
    @MethodSource("transactionManagers")
    void aTransactionWithinAListenerIsJoined(Class<?> transactionManager, String mode) {
        application(transactionManager, mode).run(context -> {
            Mails mails = context.getBean(Mails.class);
            TransactionTemplate inner = transaction(context);
            inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            context.getBean(Listeners.class).additional = () -> inner.executeWithoutResult(status -> {
                mails.send("of an inner transaction that is rolled back");
                status.setRollbackOnly();
            });

            transaction(context).executeWithoutResult(status -> context.publishEvent("17"));

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(mails.sent()).hasSize(4);
        });
    }

    @Test
    void aCallDuringTheFlushOfACommitIsPartOfTheTransaction() {
        application(Jpa.class, "join").run(context -> {
            Mails mails = context.getBean(Mails.class);
            EntityManager invoices =
                    SharedEntityManagerCreator.createSharedEntityManager(context.getBean(EntityManagerFactory.class));
            Invoice.whenInserted = mails::send;
            transaction(context).executeWithoutResult(status -> invoices.persist(new Invoice("1")));
            await().until(() -> DurableTrial.stored(context) == 0);

            // The first of the two is inserted before the second one fails.
            assertThatThrownBy(() -> transaction(context).executeWithoutResult(status -> {
                        invoices.persist(new Invoice("2"));
                        invoices.persist(new Invoice("1"));
                    }))
                    .isInstanceOf(DataIntegrityViolationException.class);

            assertThat(DurableTrial.stored(context)).isZero();
            assertThat(mails.sent()).containsExactly("1");
        });
    }

    @ParameterizedTest
    @MethodSource("transactionManagers")
    void aListenerBeforeAllOthersRunsAfterTheCommit(Class<?> transactionManager, String mode) {
        application(transactionManager, mode).run(context -> {
            Mails mails = context.getBean(Mails.class);

            transaction(context)
                    .executeWithoutResult(status ->
                            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                                @Override
                                public int getOrder() {
                                    return HIGHEST_PRECEDENCE;
                                }

                                @Override
                                public void afterCommit() {
                                    mails.send("first");
                                }
                            }));

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(mails.sent()).containsExactly("first");
        });
    }

    @Entity(name = "invoices")
    static class Invoice {

        private static Consumer<String> whenInserted = number -> {};

        @Id
        private String number;

        protected Invoice() {}

        Invoice(String number) {
            this.number = number;
        }

        @PostPersist
        void inserted() {
            whenInserted.accept(number);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Jdbc {}

    @Configuration(proxyBeanMethods = false)
    static class OldJdbc {

        @Bean
        DataSourceTransactionManager transactionManager(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Jpa {

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setPackagesToScan(Invoice.class.getPackageName());
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            Properties properties = new Properties();
            properties.setProperty("hibernate.connection.provider_disables_autocommit", "true");
            properties.setProperty("hibernate.hbm2ddl.auto", "create");
            factory.setJpaProperties(properties);
            return factory;
        }

        @Bean
        JpaTransactionManager transactionManager(LocalContainerEntityManagerFactoryBean factory) {
            return new JpaTransactionManager(factory.getObject());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class Listeners {

        private final Mails mails;

        private Runnable additional = () -> {};

        Listeners(Mails mails) {
            this.mails = mails;
        }

        @TransactionalEventListener
        public void afterCommit(String id) throws IOException {
            additional.run();
            mails.send("AFTER_COMMIT " + id);
            mails.sendLater("AFTER_COMMIT " + id + " again");
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
        public void afterCompletion(String id) throws IOException {
            mails.send("AFTER_COMPLETION " + id);
            mails.sendLater("AFTER_COMPLETION " + id + " again");
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
        @Durable(ON_FAILURE)
        public void sendLater(String id) throws IOException {
            if (RetryContext.current().attempt() == 1) {
                throw new IOException("down");
            }
            sent.add(id);
        }
    }
}
