// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An SQLite file of the application: its URL configures how the driver writes times, and it has one writer at a time. */
@Tag("slow")
class SqliteOfTheApplicationTests {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"", "?date_class=TEXT", "?date_class=REAL", "?date_precision=SECONDS"})
    void timesAreMillisecondsHoweverTheDriverWritesThem(String parameters) {
        DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=jdbc:sqlite:" + folder.resolve("shop.db") + parameters,
                        "spring.datasource.hikari.maximum-pool-size=1",
                        "retryon.jdbc.initialize-schema=always")
                .withBean(Mails.class)
                .run(context -> {
                    Mails mails = context.getBean(Mails.class);
                    mails.send();

                    StoredCalls calls = context.getBean(StoredCalls.class);
                    StoredCalls.Filter all = StoredCalls.Filter.of(State.WAITING, State.RUNNING);
                    StoredCalls.Summary waiting =
                            calls.list(all, null, 10).calls().get(0);
                    assertThat(waiting.due())
                            .isCloseTo(Instant.now().plus(Duration.ofHours(1)), within(10, ChronoUnit.MINUTES));

                    mails.recover();
                    calls.runNow(waiting.id());

                    await().until(() -> DurableTrial.stored(context) == 0);
                    assertThat(mails.attempts()).isEqualTo(2);
                });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void aDeadLetterIsKeptAfterTheTransactionThatHasWritten(int connections) {
        application(connections).run(context -> {
            Mails mails = context.getBean(Mails.class);
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            TransactionTemplate transaction = context.getBean(TransactionTemplate.class);

            assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                        jdbc.update("insert into shop values ('rolled back')");
                        mails.sendOrDie();
                    }))
                    .hasMessage("down");
            await().until(() -> DurableTrial.deadLetters(context).size() == 1);
            transaction.executeWithoutResult(status -> {
                jdbc.update("insert into shop values ('committed')");
                assertThatThrownBy(mails::sendOrDie).hasMessage("down");
            });

            await().until(() -> DurableTrial.deadLetters(context).size() == 2);
            assertThat(jdbc.queryForList("select * from shop", String.class)).containsExactly("committed");
        });
    }

    /** Such as that of an aspect of the application, with {@code spring.aop.proxy-target-class=false}. */
    @Test
    void aDeadLetterIsKeptAfterTheTransactionAlsoIfItsStoreHasAProxy() {
        application(5)
                .withBean("proxies", BeanPostProcessor.class, Proxies::new)
                .run(context -> {
                    Mails mails = context.getBean(Mails.class);
                    JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);

                    context.getBean(TransactionTemplate.class).executeWithoutResult(status -> {
                        jdbc.update("insert into shop values ('committed')");
                        assertThatThrownBy(mails::sendOrDie).hasMessage("down");
                    });

                    assertThat(AopUtils.isJdkDynamicProxy(context.getBean(CallStore.class)))
                            .isTrue();
                    await().until(() -> DurableTrial.deadLetters(context).size() == 1);
                });
    }

    private static final class Proxies implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof CallStore ? new ProxyFactory(bean).getProxy() : bean;
        }
    }

    @Test
    void deadLettersThatWaitForTheFileAreKeptWhenTheApplicationEnds() throws Exception {
        String url = "jdbc:sqlite:" + folder.resolve("shop.db");
        try (Connection other = DriverManager.getConnection(url);
                Statement statement = other.createStatement()) {
            application(5).run(context -> {
                Mails mails = context.getBean(Mails.class);
                TransactionTemplate transaction = context.getBean(TransactionTemplate.class);
                statement.execute("begin immediate");

                // More than there are connections.
                transaction.executeWithoutResult(status -> {
                    for (int i = 0; i < 10; i++) {
                        assertThatThrownBy(mails::sendOrDie).hasMessage("down");
                    }
                });
                CompletableFuture<Void> end = CompletableFuture.runAsync(context.getSourceApplicationContext()::close);
                assertThatThrownBy(() -> end.get(1500, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
                statement.execute("commit");

                end.get(30, TimeUnit.SECONDS);
            });
            try (ResultSet letters = statement.executeQuery("select count(*) from retryon_call where state = 'DEAD'")) {
                assertThat(letters.getInt(1)).isEqualTo(10);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void aRetryIsPartOfTheTransactionThatHasWritten(int connections) {
        application(connections).run(context -> {
            Mails mails = context.getBean(Mails.class);
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            TransactionTemplate transaction = context.getBean(TransactionTemplate.class);

            transaction.executeWithoutResult(status -> {
                jdbc.update("insert into shop values ('rolled back')");
                mails.send();
                status.setRollbackOnly();
            });
            assertThat(DurableTrial.stored(context)).isZero();
            transaction.executeWithoutResult(status -> {
                jdbc.update("insert into shop values ('committed')");
                mails.send();
            });

            assertThat(DurableTrial.stored(context)).isOne();
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void aCallAfterACommitIsStored(int connections) {
        application(connections).run(context -> {
            Mails mails = context.getBean(Mails.class);
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);

            context.getBean(TransactionTemplate.class).executeWithoutResult(status -> {
                jdbc.update("insert into shop values ('committed')");
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        mails.send();
                    }

                    @Override
                    public void afterCompletion(int status) {
                        mails.send();
                    }
                });
            });

            assertThat(DurableTrial.stored(context)).isEqualTo(2);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void aDeadLetterIsResentInTheTransactionOfTheCaller(int connections) {
        application(connections).run(context -> {
            Mails mails = context.getBean(Mails.class);
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            TransactionTemplate transaction = context.getBean(TransactionTemplate.class);
            StoredCalls letters = context.getBean(StoredCalls.class);
            assertThatThrownBy(mails::sendOrDie).hasMessage("down");
            String id = DurableTrial.deadLetters(context).get(0).id();
            mails.recover();

            transaction.executeWithoutResult(status -> {
                assertThat(letters.resend(id)).isTrue();
                status.setRollbackOnly();
            });
            assertThat(letters.find(id).orElseThrow().state()).isEqualTo(State.DEAD);
            assertThat(DurableTrial.stored(context)).isZero();
            transaction.executeWithoutResult(status -> {
                jdbc.update("insert into shop values ('committed')");
                assertThat(letters.resend(id)).isTrue();
            });

            await().until(() -> letters.find(id).orElseThrow().state() == State.RESOLVED);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void aResendThatFailsLeavesTheTransactionOfTheCallerAsItWas(int connections) {
        application(connections).run(context -> {
            Mails mails = context.getBean(Mails.class);
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            StoredCalls letters = context.getBean(StoredCalls.class);
            assertThatThrownBy(mails::sendOrDie).hasMessage("down");
            String id = DurableTrial.deadLetters(context).get(0).id();
            jdbc.execute(
                    "create trigger refused before update on retryon_call begin select raise(abort, 'refused'); end");

            context.getBean(TransactionTemplate.class).executeWithoutResult(status -> {
                jdbc.update("insert into shop values ('committed')");
                assertThatThrownBy(() -> letters.resend(id)).hasStackTraceContaining("refused");
            });

            assertThat(letters.find(id).orElseThrow().state()).isEqualTo(State.DEAD);
            assertThat(jdbc.queryForList("select * from shop", String.class)).containsExactly("committed");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"DELETE", "WAL"})
    void aChangeOfADeadLetterWaitsForAnotherWriter(String journal) throws Exception {
        String url = "jdbc:sqlite:" + folder.resolve("shop.db") + "?journal_mode=" + journal;
        try (Connection other = DriverManager.getConnection(url);
                Statement statement = other.createStatement()) {
            application(5).withPropertyValues("spring.datasource.url=" + url).run(context -> {
                StoredCalls letters = context.getBean(StoredCalls.class);
                assertThatThrownBy(context.getBean(Mails.class)::sendOrDie).hasMessage("down");
                String id = DurableTrial.deadLetters(context).get(0).id();
                statement.execute("begin immediate");
                statement.execute("insert into shop values ('of another writer')");

                CompletableFuture<Boolean> change = CompletableFuture.supplyAsync(() -> letters.discard(id, null));
                assertThatThrownBy(() -> change.get(500, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
                statement.execute("commit");

                assertThat(change.get(30, TimeUnit.SECONDS)).isTrue();
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void deadLettersChangeAfterATransaction(int connections) {
        application(connections).run(context -> {
            Mails mails = context.getBean(Mails.class);
            StoredCalls letters = context.getBean(StoredCalls.class);
            assertThatThrownBy(mails::sendOrDie).hasMessage("down");
            assertThatThrownBy(mails::sendOrDie).hasMessage("down");
            List<String> ids = DurableTrial.deadLetters(context).stream()
                    .map(DeadLetter::id)
                    .toList();

            context.getBean(TransactionTemplate.class)
                    .executeWithoutResult(status ->
                            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                                @Override
                                public void afterCommit() {
                                    letters.discard(ids.get(0), null);
                                }

                                @Override
                                public void afterCompletion(int status) {
                                    letters.discard(ids.get(1), null);
                                }
                            }));

            assertThat(DurableTrial.deadLetters(context))
                    .extracting(DeadLetter::state)
                    .containsOnly(State.DISCARDED);
        });
    }

    private ApplicationContextRunner application(int connections) {
        return DurableTrial.inMemory()
                .withConfiguration(AutoConfigurations.of(JdbcTemplateAutoConfiguration.class))
                .withPropertyValues(
                        "spring.datasource.url=jdbc:sqlite:" + folder.resolve("shop.db"),
                        "spring.datasource.hikari.maximum-pool-size=" + connections,
                        "spring.datasource.hikari.connection-timeout=2000",
                        "spring.datasource.hikari.connection-init-sql=create table if not exists shop (name text)",
                        "retryon.dead-letter.timeout=4s",
                        "retryon.jdbc.initialize-schema=always")
                .withBean(Mails.class);
    }

    static class Mails {

        private final AtomicInteger attempts = new AtomicInteger();

        private volatile boolean isDown = true;

        int attempts() {
            return attempts.get();
        }

        void recover() {
            isDown = false;
        }

        @RetryOn(value = UncheckedIOException.class, delay = "1h", maxDelay = "1h")
        @Durable(ON_FAILURE)
        public void send() {
            attempts.incrementAndGet();
            if (isDown) {
                throw new UncheckedIOException(new IOException("down"));
            }
        }

        @RetryOn(value = IOException.class, maxAttempts = 1)
        @Durable(ON_EXHAUSTION)
        public void sendOrDie() {
            if (isDown) {
                throw new IllegalStateException("down");
            }
        }
    }
}
